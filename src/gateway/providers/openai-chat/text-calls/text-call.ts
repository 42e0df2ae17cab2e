/** A tool call that a model wrote into the text of its response instead of `tool_calls`. `arguments` is JSON text. */
export type TextCall = { name: string; arguments: string }
