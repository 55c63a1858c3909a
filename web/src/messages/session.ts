import type { Translated } from "./translate";

export const en = {
  "session.title": "Sign in",
  "session.intro": "Documents in, cited passages out.",
  "session.key": "API key",
  "session.keyHint": "It begins with pk_ and can do here what it can do elsewhere.",
  "session.submit": "Sign in",
  "session.linkTitle": "Or with a link",
  "session.link": "When the server starts it prints a link that works once, for 15 minutes. For another one run:",
  "session.linkSpentTitle": "This link is of no use any more",
  "session.linkSpent":
    "A link works once and only for a while. Ask whoever sent it for a new one, or sign in with a key.",
  "session.expired": "You were signed out. Sign in to go on where you were.",
} as const;

export const zh: Translated<typeof en> = {
  "session.title": "登录",
  "session.intro": "放入文档,得到有出处的答案。",
  "session.key": "API 密钥",
  "session.keyHint": "以 pk_ 开头;密钥能做什么,登录后就能做什么。",
  "session.submit": "登录",
  "session.linkTitle": "或使用登录链接",
  "session.link": "服务器启动时会显示一个登录链接,15 分钟内有效,只能使用一次。要获得新的链接,请运行:",
  "session.linkSpentTitle": "此链接已失效",
  "session.linkSpent": "链接只能使用一次,且有时间限制。请向发送者索取新链接,或使用密钥登录。",
  "session.expired": "您已退出登录。重新登录后将回到原来的页面。",
};
