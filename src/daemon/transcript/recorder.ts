import type { Question } from '#interns/contract/question.ts'
import type { Action, Decision } from '#interns/contract/rules/rule.ts'
import type { EndReason, TurnReport } from '#interns/contract/run.ts'
import type { ApprovalMode } from '#interns/contract/runs.ts'
import type {
  Activity,
  Entry,
  EntryContent,
  PlanStep,
  SessionStatus,
  SessionSummary,
} from '#interns/contract/transcript.ts'
import type { TurnBudget } from '#interns/contract/turn-budget.ts'
import { beginningOf, cutPlace } from '#platform/text/whole-characters.ts'
import type { ToolCall } from '../acp/tool-call.ts'
import type { SessionChange } from '../store/transcript-store.ts'
import { keptOf, longest } from './limits.ts'
import { toolActivity } from './tool-activity.ts'

/** The tool calls of a run that may still change; of more the oldest stay as they are. */
const maxOpenCalls = 200
const titleLength = 120
const maxUnsaved = 1000
/** The size of an entry that is no text, roughly. */
const usualCharacters = 20_000

/** Said by the intern, and perhaps not to its end. */
export type TextEntry = Entry & { type: 'message' | 'reasoning' }

type RecorderDeps = {
  now: () => number
  /** The next id or revision: above all before it. */
  next: () => number
  /** Something is to be saved: `soon`, or when it suits. */
  changed: (soon: boolean, characters: number) => void
  /** A piece of text came that is not saved yet. */
  told: (entry: TextEntry, offset: number, text: string) => void
}

export type TurnEnd = { reason: EndReason; message: string | null } & TurnReport
type Begun = { mode: ApprovalMode; by: string | null; background?: true; budget?: TurnBudget }

type OpenCall = { entry: Entry; tool: ToolCall; output: string }

/** Writes down one session while it has a run. */
export class Recorder {
  readonly sessionId: string
  readonly #deps: RecorderDeps
  readonly #dirty = new Map<number, Entry>()
  readonly #calls = new Map<string, OpenCall>()
  readonly #questions = new Map<string, Entry & { type: 'question' }>()
  #text: TextEntry | undefined
  #plan: Entry | undefined
  #runId = ''
  #title: string
  #status: SessionStatus
  #turns: number

  constructor(deps: RecorderDeps, sessionId: string, before: SessionSummary | undefined) {
    this.#deps = deps
    this.sessionId = sessionId
    this.#title = before?.title ?? ''
    this.#status = before?.status ?? 'idle'
    this.#turns = before?.turns ?? 0
  }

  get isIdle(): boolean {
    return this.#status === 'idle' && this.#dirty.size === 0
  }

  get turns(): number {
    return this.#turns
  }

  begun(runId: string, text: string, about: Begun): void {
    this.#forgetRun()
    this.#runId = runId
    this.#status = 'running'
    this.#turns++
    this.#title ||= beginningOf(text.trim().split('\n', 1)[0]!, titleLength)
    this.#add({ type: 'prompt', text, ...about })
  }

  said(type: 'message' | 'reasoning', text: string): void {
    for (let from = 0; from < text.length; ) {
      const open = this.#text?.type === type ? this.#text : undefined
      const to = cutPlace(text, from + longest.text - (open?.text.length ?? 0))
      if (to > from) this.#write(type, open, text.slice(from, to))
      else this.#text = undefined
      from = Math.max(from, to)
    }
  }

  /** Text that came after the end of a run, and before the next one of the session. */
  saidLate(runId: string, type: 'message' | 'reasoning', text: string): void {
    this.#runId ||= runId
    this.said(type, text)
  }

  tool(id: string, tool: ToolCall, output: string | undefined): Activity {
    this.#text = undefined
    const open = this.#calls.get(id)
    const shown = keptOf((open?.output ?? '') + (output ?? ''), 2 * longest.output)
    const activity = toolActivity(id, tool, shown)
    const isOver = activity.status === 'completed' || activity.status === 'failed'
    const content = { ...activity, endedAt: isOver ? this.#deps.now() : null }
    const entry = open ? this.#change(open.entry, content) : this.#add(content)
    this.#calls.set(id, { entry, tool, output: shown })
    if (this.#calls.size > maxOpenCalls) this.#calls.delete(this.#calls.keys().next().value!)
    return activity
  }

  planned(steps: PlanStep[]): Activity {
    this.#text = undefined
    const kept = steps.slice(0, longest.steps).map(({ text, status, priority }) => ({
      text: beginningOf(text, longest.step),
      status: beginningOf(status, longest.step),
      ...(priority && { priority: beginningOf(priority, longest.step) }),
    }))
    const content = { type: 'plan' as const, steps: kept }
    this.#plan = this.#plan ? this.#change(this.#plan, content) : this.#add(content)
    return content
  }

  asked(question: Question, deadlineAt: number, action: Action | undefined): void {
    this.#text = undefined
    this.#status = 'waiting'
    const content = {
      type: 'question' as const,
      question,
      deadlineAt,
      answer: { state: 'waiting' as const },
      ...(action && { action }),
    }
    this.#questions.set(question.id, this.#add(content) as Entry & { type: 'question' })
  }

  decided(decision: Decision, operation: string | null, detail: string | null): void {
    this.#text = undefined
    this.#add({ type: 'decision', operation, detail: detail && keptOf(detail, longest.title), decision })
  }

  answered(questionId: string, said: { answer: string; fields: string[]; by: string | null }): void {
    const entry = this.#questions.get(questionId)
    if (!entry) return
    this.#questions.delete(questionId)
    this.#status = this.#questions.size > 0 ? 'waiting' : 'running'
    this.#change(entry, { ...entry, answer: { state: 'answered', ...said, answeredAt: this.#deps.now() } })
  }

  ended({ message, ...about }: TurnEnd): void {
    if (this.#status === 'idle') return
    for (const entry of this.#questions.values()) this.#change(entry, { ...entry, answer: { state: 'ended' } })
    this.#add({ type: 'end', ...about, message: message && keptOf(message, longest.message) })
    this.#status = 'idle'
    this.#forgetRun()
  }

  /** What is to be saved; `saved` is for when it was. */
  pending(): SessionChange | undefined {
    if (this.#dirty.size === 0) return undefined
    const about = { title: this.#title, status: this.#status, turns: this.#turns }
    return { sessionId: this.sessionId, ...about, entries: [...this.#dirty.values()] }
  }

  saved(): void {
    this.#dirty.clear()
  }

  #write(type: 'message' | 'reasoning', open: TextEntry | undefined, piece: string) {
    const { told } = this.#deps
    const content = { type, text: (open?.text ?? '') + piece }
    const size = piece.length
    const entry = open ? this.#change(open, content, false, size) : this.#add(content, false, size)
    this.#text = entry as TextEntry
    told(entry as TextEntry, open?.text.length ?? 0, piece)
  }

  #add(content: EntryContent, soon = true, characters = usualCharacters): Entry {
    const id = this.#deps.next()
    const at = this.#deps.now()
    return this.#keep({ ...content, id, revision: id, runId: this.#runId, at, updatedAt: at }, soon, characters)
  }

  #change({ id, runId, at }: Entry, content: EntryContent, soon = true, characters = usualCharacters): Entry {
    const revision = this.#deps.next()
    return this.#keep({ ...content, id, revision, runId, at, updatedAt: this.#deps.now() }, soon, characters)
  }

  #keep(entry: Entry, soon: boolean, characters: number): Entry {
    this.#dirty.set(entry.id, entry)
    // So many wait only where they cannot be saved.
    if (this.#dirty.size > maxUnsaved) this.#dirty.delete(this.#dirty.keys().next().value!)
    this.#deps.changed(soon, characters)
    return entry
  }

  #forgetRun(): void {
    this.#calls.clear()
    this.#questions.clear()
    this.#text = undefined
    this.#plan = undefined
  }
}
