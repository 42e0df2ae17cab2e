/** The possible answers to a permission request. The words are those of the Agent Client Protocol. */
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** An agent wants to do something that needs consent. Each kind of option is offered once. */
export type PermissionQuestion = {
  kind: 'permission'
  /** The tool's name, or what the agent called the operation. */
  operation: string | null
  /** The exact action, such as the command line; null if the agent named nothing beyond `operation`. */
  detail: string | null
  options: PermissionKind[]
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
