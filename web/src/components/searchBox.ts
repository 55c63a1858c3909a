/** The one box that questions are typed into; the shell finds it by this. */
export const SEARCH_BOX = "search-box";
