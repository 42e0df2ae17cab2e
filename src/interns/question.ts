/** The possible answers to a permission request. The words are those of the Agent Client Protocol. */
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** An agent wants to do something that needs consent. Each kind of option is offered once. */
export type PermissionQuestion = {
  kind: 'permission'
  /** The kind of tool, in one word that means the same for every agent; null where it is not known. */
  operation: string | null
  /**
   * What exactly would be done: the command line, or what would be written where; null when the agent did not say more
   * than `operation`. What is too long for a question is cut with a mark that says so.
   */
  detail: string | null
  options: PermissionKind[]
}

/** All that a permission is about, however long. `diff` is a unified diff. */
export type WholePermission = {
  detail: string | null
  command: string | null
  paths: string[]
  changes: { path: string; diff: string }[]
}

/** One value an agent asks for. `array` chooses several of `options`. */
export type Field = {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  required: boolean
  options?: string[]
}

/** An agent asks for answers. `message` tells the caller all there is to know about the fields. */
export type FormQuestion = { kind: 'elicitation'; message: string; fields: Field[] }

/** A question of an intern to its caller, on which a run waits. `id` is unique among all interns. */
export type Question = { id: string } & (PermissionQuestion | FormQuestion)

/** A question as its caller was told it, which is all that is known of what an answer consents to. */
export type AskedQuestion = { question: Question; sessionId: string; askedAt: number; deadlineAt: number }
