import type { Question } from '#interns/contract/question.ts'
import type { Action } from '#interns/contract/rules/rule.ts'
import type { EndReason } from '#interns/contract/run.ts'
import type { Limits } from '../settings/limits.ts'
import type { DaemonStore } from '../store/store.ts'
import { toAnswerRecord } from '../transcript/answer-record.ts'
import type { DaemonTranscripts } from '../transcript/transcripts.ts'
import type { Explanation } from './closing-event.ts'
import type { Session } from './sessions/session.ts'

type RunPersistenceDeps = {
  store: DaemonStore
  transcripts: DaemonTranscripts
  limits: Limits
  /** The system time, for instants that leave the daemon. */
  now: () => number
}

/** Saves the questions, answers and ends of runs. */
export class RunPersistence {
  readonly #deps: RunPersistenceDeps

  constructor(deps: RunPersistenceDeps) {
    this.#deps = deps
  }

  /** Saves a question before the caller receives it. Can throw. */
  saveQuestion(
    run: { id: string; session: Session },
    { question, action }: { question: Question; action: Action | undefined },
    deadlineAt: number,
  ): void {
    const { store, now, limits, transcripts } = this.#deps
    store.forgetQuestions(now() - limits.questionMemoryMs)
    store.saveQuestion(question.id, { sessionId: run.session.id, runId: run.id, deadlineAt })
    transcripts.recorder(run.session.id).addQuestion(question, deadlineAt, action)
    transcripts.save()
  }

  /** Records an answer that was accepted. */
  recordAnswer(session: Session, question: Question, answer: string, by: string | undefined): void {
    this.#deps.transcripts.recorder(session.id).setAnswer(question.id, toAnswerRecord(question, answer, by))
  }

  recordWithdrawal(session: Session, { id }: Question): void {
    this.#deps.transcripts.recorder(session.id).withdrawQuestion(id)
  }

  /** Saves the end of a run before it is reported. Can throw. */
  saveEnd(session: Session, reason: EndReason, explanation: Explanation): void {
    const { transcripts } = this.#deps
    const { refusal, message = refusal?.message, model, usage, meteredSince } = explanation
    const end = { message: message || null, model: model ?? session.model, usage: usage ?? null, meteredSince }
    transcripts.recorder(session.id).endRun({ reason, ...end })
    transcripts.save()
  }
}
