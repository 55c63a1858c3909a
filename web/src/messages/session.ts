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
  "session.useTitle": "Use this link?",
  "session.use":
    "A page led you to a sign-in link, and this browser is signed in already. The link may sign you in as somebody else, or make you a member of another workspace.",
  "session.useDoubt": "Use it only if it comes from somebody you trust.",
  "session.useAct": "Use the link",
  "session.useNot": "Stay as I am",
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
  "session.useTitle": "要使用此链接吗?",
  "session.use":
    "某个页面把您带到了一个登录链接,而此浏览器已经登录。使用该链接后,您可能会以他人身份登录,或成为另一个工作区的成员。",
  "session.useDoubt": "请仅在链接来自您信任的人时使用。",
  "session.useAct": "使用链接",
  "session.useNot": "保持现状",
};
