import { readPermissionAnswer } from '#interns/contract/answer.ts'
import type { Question } from '#interns/contract/question.ts'
import { maxLengths } from './limits.ts'

/** The stored form of an accepted answer: the choice and the names of the filled fields, without their values. */
export function toAnswerRecord(question: Question, answer: string, by: string | undefined) {
  if (question.kind === 'permission')
    return { answer: readPermissionAnswer(question, answer).answer, fields: [], by: by ?? null }
  const { action, content } = JSON.parse(answer) as { action: string; content?: object }
  const fields = question.fields.map(({ name }) => name).filter((name) => Object.hasOwn(content ?? {}, name))
  return { answer: action, fields: fields.slice(0, maxLengths.fields), by: by ?? null }
}
