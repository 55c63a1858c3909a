import type { Translated } from "./translate";

export const en = {
  "health.lost": "The connection to the server is lost. Reconnecting …",
  "health.notReady": "The server is not ready",
  "health.keywordsOnly": "Search is by keywords only",
  "health.keywordsOnlyHint":
    "The embedding model is not installed on the server. Install it, then start the server again:",
  "health.hide": "Hide this notice",
} as const;

export const zh: Translated<typeof en> = {
  "health.lost": "与服务器的连接已断开,正在重新连接……",
  "health.notReady": "服务器尚未就绪",
  "health.keywordsOnly": "目前只能按关键词搜索",
  "health.keywordsOnlyHint": "服务器上没有安装嵌入模型。请安装后重新启动服务器:",
  "health.hide": "隐藏此提示",
};
