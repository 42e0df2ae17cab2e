/** A call in the text of an answer. */
export type TextCall = { name: string; arguments: string }
