import type { Translated } from "./translate";

export const en = {
  "knowledge.title": "Knowledge",
  "knowledge.name": "Name",
  "knowledge.documents": "Documents",
  "knowledge.chunks": "Passages",
  "knowledge.size": "Size",
  "knowledge.updated": "Updated",
  "knowledge.builtIn": "built in",
  "knowledge.empty": "No knowledge bases yet",
  "knowledge.emptyHint": "A knowledge base holds documents that belong together.",
} as const;

export const zh: Translated<typeof en> = {
  "knowledge.title": "知识",
  "knowledge.name": "名称",
  "knowledge.documents": "文档",
  "knowledge.chunks": "段落",
  "knowledge.size": "大小",
  "knowledge.updated": "更新时间",
  "knowledge.builtIn": "内置",
  "knowledge.empty": "还没有知识库",
  "knowledge.emptyHint": "知识库用来存放相关的文档。",
};
