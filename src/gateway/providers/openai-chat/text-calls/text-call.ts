/** A call in the text of a response. */
export type TextCall = { name: string; arguments: string }
