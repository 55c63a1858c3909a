import type { Translated } from "./translate";

export const en = {
  "welcome.title": "Welcome to Pinakes",
  "welcome.intro": "Put documents in, ask questions, and get passages with their sources. Three steps to begin:",
  "welcome.ask": "Ask the sample",
  "welcome.askHint": "A few documents about the Library of Alexandria are here to try things out. Choose a question:",
  "welcome.questions": "Questions to try",
  "welcome.reading": {
    one: "Reading the sample: {done} of {count} document …",
    other: "Reading the sample: {done} of {count} documents …",
  },
  "welcome.readingLabel": "Documents of the sample that are read",
  "welcome.removeHint": "Seen enough? The sample can be brought back at any time, from the menu of Knowledge.",
  "welcome.remove": "Remove the sample",
  "welcome.removed": "The sample is removed.",
  "welcome.noSample": "The sample is a small library to try things out with: five documents and questions they answer.",
  "welcome.noSampleViewer": "There is nothing to ask yet.",
  "welcome.load": "Load the sample",
  "welcome.add": "Add your own files",
  "welcome.addHint":
    "Make a knowledge base and drop files or whole folders into it: PDF, Word, slides, spreadsheets, web pages, mail, code and more.",
  "welcome.addHintViewer":
    "You may read here. Ask an owner of this workspace to add documents, or to let you add some.",
  "welcome.addAct": "Go to Knowledge",
  "welcome.connect": "Connect an agent",
  "welcome.connectHint":
    "Claude, Cursor, VS Code, or a program of your own: with a key, an agent can search here and cite what it finds.",
  "welcome.connectAct": "Choose the program",
} as const;

export const zh: Translated<typeof en> = {
  "welcome.title": "欢迎使用 Pinakes",
  "welcome.intro": "放入文档,提出问题,得到有出处的段落。三步即可开始:",
  "welcome.ask": "向示例提问",
  "welcome.askHint": "这里有几篇关于亚历山大图书馆的文档(英文)供您试用。请选择一个问题:",
  "welcome.questions": "可以试试的问题",
  "welcome.reading": { other: "正在读取示例:{done}/{count} 篇文档……" },
  "welcome.readingLabel": "已读取的示例文档",
  "welcome.removeHint": "看够了吗?示例可以随时从“知识”页面的菜单中恢复。",
  "welcome.remove": "移除示例",
  "welcome.removed": "示例已移除。",
  "welcome.noSample": "示例是一个供试用的小型图书馆:五篇文档,以及它们能回答的问题。",
  "welcome.noSampleViewer": "还没有可以提问的内容。",
  "welcome.load": "加载示例",
  "welcome.add": "添加您自己的文件",
  "welcome.addHint": "新建一个知识库,把文件或整个文件夹拖进去:PDF、Word、幻灯片、表格、网页、邮件、代码等。",
  "welcome.addHintViewer": "您在这里只能阅读。请让工作区的所有者添加文档,或允许您添加。",
  "welcome.addAct": "前往知识",
  "welcome.connect": "连接智能体",
  "welcome.connectHint": "Claude、Cursor、VS Code 或您自己的程序:有了密钥,智能体就能在这里搜索,并注明出处。",
  "welcome.connectAct": "选择程序",
};
