import { readPermissionAnswer } from '#interns/contract/answer.ts'
import type { Question } from '#interns/contract/question.ts'
import { longest } from './limits.ts'

/** What is kept of an answer that was taken: the word, and which fields were filled in, but not what was typed. */
export function answerRecordOf(question: Question, answer: string, by: string | undefined) {
  if (question.kind === 'permission')
    return { answer: readPermissionAnswer(question, answer).answer, fields: [], by: by ?? null }
  const { action, content } = JSON.parse(answer) as { action: string; content?: object }
  const fields = question.fields.map(({ name }) => name).filter((name) => Object.hasOwn(content ?? {}, name))
  return { answer: action, fields: fields.slice(0, longest.steps), by: by ?? null }
}
