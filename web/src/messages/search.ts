import type { Translated } from "./translate";

export const en = {
  "search.title": "Search",
  "search.box": "What do you want to know?",
  "search.submit": "Search",
  "search.none": "Nothing was found",
  "search.noneHint": "Try other words, or add documents that answer this.",
  "search.found": { one: "{count} passage", other: "{count} passages" },
} as const;

export const zh: Translated<typeof en> = {
  "search.title": "搜索",
  "search.box": "您想了解什么?",
  "search.submit": "搜索",
  "search.none": "没有找到结果",
  "search.noneHint": "请换个说法,或添加能回答此问题的文档。",
  "search.found": { other: "{count} 个段落" },
};
