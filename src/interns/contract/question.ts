/** The possible answers to a permission request. The words are those of the Agent Client Protocol. */
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** One option of a permission as its agent offers it. `id` is never the word of another kind. */
export type PermissionChoice = { id: string; kind: PermissionKind; name: string }

/** An agent wants to do something that needs consent. `options` has each kind once; `choices` has all options of the agent. */
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
  choices?: PermissionChoice[]
}

/** One answer for a caller. `name` is set where the answer is the id of an option. */
type OfferedAnswer = { answer: string; kind: PermissionKind; name?: string }

/** The answers that a permission takes: the word of a kind, or the ids where several options are of one kind. */
export function permissionAnswers({
  options,
  choices = [],
}: Pick<PermissionQuestion, 'options' | 'choices'>): OfferedAnswer[] {
  return options.flatMap((kind): OfferedAnswer[] => {
    const ofKind = choices.filter((choice) => choice.kind === kind)
    return ofKind.length > 1 ? ofKind.map(({ id, name }) => ({ answer: id, kind, name })) : [{ answer: kind, kind }]
  })
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

/** An agent asks for answers. `message` describes the fields to the caller. */
export type FormQuestion = { kind: 'elicitation'; message: string; fields: Field[] }

/** A question of an intern to its caller, on which a run waits. `id` is unique among all interns. */
export type Question = { id: string } & (PermissionQuestion | FormQuestion)

/** A question as its caller was told it, which is all that is known of what an answer consents to. */
export type AskedQuestion = { question: Question; sessionId: string; askedAt: number; deadlineAt: number }
