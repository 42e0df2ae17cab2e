/** A request body in any protocol. */
export type Body = Record<string, unknown>
