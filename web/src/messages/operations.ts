import type { Translated } from "./translate";

export const en = {
  "operations.title": "Operations",
  "operations.what": "What",
  "operations.where": "Where",
  "operations.status": "Status",
  "operations.when": "Begun",
  "operations.status.pending": "waiting",
  "operations.status.running": "running",
  "operations.status.completed": "done",
  "operations.status.failed": "failed",
  "operations.status.terminated": "cancelled",
  "operations.empty": "Nothing has been done yet",
  "operations.emptyHint": "Indexing of documents and other background work shows up here.",
} as const;

export const zh: Translated<typeof en> = {
  "operations.title": "任务",
  "operations.what": "内容",
  "operations.where": "位置",
  "operations.status": "状态",
  "operations.when": "开始时间",
  "operations.status.pending": "等待中",
  "operations.status.running": "进行中",
  "operations.status.completed": "已完成",
  "operations.status.failed": "失败",
  "operations.status.terminated": "已取消",
  "operations.empty": "还没有任务",
  "operations.emptyHint": "文档索引等后台任务会显示在这里。",
};
