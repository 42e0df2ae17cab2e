/** The possible answers to a permission request. The words are those of the Agent Client Protocol. */
export const permissionKinds = ['allow_once', 'allow_always', 'reject_once', 'reject_always'] as const
export type PermissionKind = (typeof permissionKinds)[number]

/** One option of a permission as its agent offers it. `id` is never the word of another kind. */
export type PermissionChoice = { id: string; kind: PermissionKind; name: string }

/** A request for permission. `options` has each kind once; `choices` has all options of the agent. */
export type PermissionQuestion = {
  kind: 'permission'
  /** The kind of tool, in one word with the same meaning for all agents; null if unknown. */
  operation: string | null
  /**
   * The exact action: the command line, or the changes of files; null if the agent reported no more than `operation`. A
   * long text is shortened, with a note.
   */
  detail: string | null
  options: PermissionKind[]
  choices?: PermissionChoice[]
}

/** One possible answer. `name` is set if the answer is the id of an option. */
type OfferedAnswer = { answer: string; kind: PermissionKind; name?: string }

/** The possible answers to a permission: the word of a kind, or ids if several options are of one kind. */
export function listPermissionAnswers({
  options,
  choices = [],
}: Pick<PermissionQuestion, 'options' | 'choices'>): OfferedAnswer[] {
  return options.flatMap((kind): OfferedAnswer[] => {
    const ofKind = choices.filter((choice) => choice.kind === kind)
    return ofKind.length > 1 ? ofKind.map(({ id, name }) => ({ answer: id, kind, name })) : [{ answer: kind, kind }]
  })
}

/** The complete content of a permission. `diff` is a unified diff. */
export type PermissionDetails = {
  detail: string | null
  command: string | null
  /** The working folder of the command, if it is not the workspace. */
  folder: string | null
  paths: string[]
  changes: { path: string; diff: string }[]
}

/** One value that an agent asks for. `array` chooses several of `options`. */
export type Field = {
  name: string
  type: 'string' | 'number' | 'integer' | 'boolean' | 'array'
  required: boolean
  options?: string[]
}

/** An agent asks for answers. `message` describes the fields to the caller. */
type FormQuestion = { kind: 'elicitation'; message: string; fields: Field[] }

/** The most items of each list of a question. A server refuses a longer one. */
export const maxQuestionItems = 10_000

/** A question of an intern to its caller. Its run waits for the answer. `id` is unique over all interns. */
export type Question = { id: string } & (PermissionQuestion | FormQuestion)

/** A question as it was sent to its caller. */
export type AskedQuestion = { question: Question; sessionId: string; askedAt: number; deadlineAt: number }
