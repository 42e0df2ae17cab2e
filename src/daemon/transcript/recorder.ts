import type { ApprovalMode } from '#interns/contract/approval-mode.ts'
import type { Question } from '#interns/contract/question.ts'
import type { Action, Decision } from '#interns/contract/rules/rule.ts'
import type { EndReason, RunReport } from '#interns/contract/run.ts'
import type {
  Activity,
  Entry,
  EntryContent,
  PlanStep,
  SessionStatus,
  SessionSummary,
  ToolStatus,
} from '#interns/contract/transcript.ts'
import type { TurnBudget } from '#interns/contract/turn-budget.ts'
import { cutPosition, truncateText } from '#platform/text/truncate.ts'
import type { ToolCall } from '../acp/tool-calls/tool-call.ts'
import type { SessionChange } from '../store/transcript-store.ts'
import { maxLengths, shorten } from './limits.ts'
import { appendOutput, emptyOutput, type TerminalOutput } from './terminal-output.ts'
import { toToolActivity } from './tool-activity.ts'

/** The most tool calls of a run that can still change. If there are more, the oldest call is final. */
const maxOpenCalls = 200
const maxTitleLength = 120
const maxUnsavedEntries = 1000
/** The approximate size of an entry that is not text, in characters. */
const typicalEntrySize = 20_000

/** Text of the intern, which can be incomplete. */
export type TextEntry = Entry & { type: 'message' | 'reasoning' }

type RecorderDeps = {
  now: () => number
  /** Returns the next id or revision, which is higher than all earlier ones. */
  nextId: () => number
  /** Called after a change that must be saved, soon if it is urgent. */
  onChange: (isUrgent: boolean, characters: number) => void
  /** Called with a new piece of text, before it is saved. */
  onText: (entry: TextEntry, offset: number, text: string) => void
}

type RunEnd = { reason: EndReason; message: string | null } & RunReport
type PromptInfo = { mode: ApprovalMode; by: string | null; background?: true; budget?: TurnBudget }

type OpenCall = { entry: Entry; output: TerminalOutput }

/** Whether a call has no result yet. */
export const isOpenCall = ({ status }: { status: ToolStatus }) => status === 'pending' || status === 'in_progress'

/** Records one session while it has a run. */
export class Recorder {
  readonly sessionId: string
  readonly #deps: RecorderDeps
  /** The changed entries, by id. */
  readonly #unsaved = new Map<number, Entry>()
  readonly #calls = new Map<string, OpenCall>()
  readonly #questions = new Map<string, Entry & { type: 'question' }>()
  #text: TextEntry | undefined
  #plan: Entry | undefined
  #runId = ''
  #title: string
  #status: SessionStatus
  /** The number of runs of the session. */
  #runs: number

  constructor(deps: RecorderDeps, sessionId: string, before: SessionSummary | undefined) {
    this.#deps = deps
    this.sessionId = sessionId
    this.#title = before?.title ?? ''
    this.#status = before?.status ?? 'idle'
    this.#runs = before?.turns ?? 0
  }

  get isIdle(): boolean {
    return this.#status === 'idle' && this.#unsaved.size === 0
  }

  get turns(): number {
    return this.#runs
  }

  startRun(runId: string, text: string, info: PromptInfo): void {
    this.#forgetRun()
    this.#runId = runId
    this.#status = 'running'
    this.#runs++
    this.#title ||= truncateText(text.trim().split('\n', 1)[0]!, maxTitleLength)
    this.#add({ type: 'prompt', text, ...info })
  }

  addText(type: 'message' | 'reasoning', text: string): void {
    let from = 0
    while (from < text.length) {
      const openText = this.#text?.type === type ? this.#text : undefined
      const room = maxLengths.text - (openText?.text.length ?? 0)
      const to = cutPosition(text, from + room)
      if (to > from) this.#write(type, openText, text.slice(from, to))
      // The open entry is full, so the next round starts a new one.
      else this.#text = undefined
      from = to
    }
  }

  /** Adds text that arrived after the end of a run and before the next run. */
  addLateText(runId: string, type: 'message' | 'reasoning', text: string): void {
    this.#runId ||= runId
    this.addText(type, text)
  }

  updateTool(id: string, tool: ToolCall, output: string | undefined): Activity {
    this.#text = undefined
    const openCall = this.#calls.get(id)
    const terminal = appendOutput(openCall?.output ?? emptyOutput, output ?? '')
    const activity = toToolActivity(id, tool, terminal)
    const content = { ...activity, endedAt: isOpenCall(activity) ? null : this.#deps.now() }
    const entry = openCall ? this.#change(openCall.entry, content) : this.#add(content)
    this.#calls.set(id, { entry, output: terminal })
    if (this.#calls.size > maxOpenCalls) this.#calls.delete(this.#calls.keys().next().value!)
    return activity
  }

  setPlan(steps: PlanStep[]): Activity {
    this.#text = undefined
    const shortSteps = steps.slice(0, maxLengths.steps).map(({ text, status, priority }) => ({
      text: truncateText(text, maxLengths.step),
      status: truncateText(status, maxLengths.step),
      ...(priority && { priority: truncateText(priority, maxLengths.step) }),
    }))
    const content = { type: 'plan' as const, steps: shortSteps }
    this.#plan = this.#plan ? this.#change(this.#plan, content) : this.#add(content)
    return content
  }

  addQuestion(question: Question, deadlineAt: number, action: Action | undefined): void {
    this.#text = undefined
    this.#status = 'waiting'
    const content = {
      type: 'question' as const,
      question,
      deadlineAt,
      answer: { state: 'waiting' as const },
      action,
    }
    this.#questions.set(question.id, this.#add(content) as Entry & { type: 'question' })
  }

  /** @param detail at most `maxLengths.detail` long, with a mark if it was cut. */
  addDecision(decision: Decision, operation: string | null, detail: string | null): void {
    this.#text = undefined
    this.#add({ type: 'decision', operation, detail, decision })
  }

  setAnswer(questionId: string, record: { answer: string; fields: string[]; by: string | null }): void {
    this.#closeQuestion(questionId, { state: 'answered', ...record, answeredAt: this.#deps.now() })
  }

  /** Ends a question that the agent withdrew. */
  withdrawQuestion(questionId: string): void {
    this.#closeQuestion(questionId, { state: 'ended', reason: 'withdrawn' })
  }

  #closeQuestion(questionId: string, answer: (Entry & { type: 'question' })['answer']): void {
    const entry = this.#questions.get(questionId)
    if (!entry) return
    this.#questions.delete(questionId)
    this.#status = this.#questions.size > 0 ? 'waiting' : 'running'
    this.#change(entry, { ...entry, answer })
  }

  endRun({ message, ...end }: RunEnd): void {
    if (this.#status === 'idle') return
    for (const entry of this.#questions.values()) this.#change(entry, { ...entry, answer: { state: 'ended' } })
    if (end.reason !== 'finished') this.#failOpenCalls()
    this.#add({ type: 'end', ...end, message: message && shorten(message, maxLengths.message) })
    this.#status = 'idle'
    // Updates of the calls can follow: agents work in the background.
    this.#forgetEntries()
  }

  #failOpenCalls(): void {
    for (const { entry } of this.#calls.values()) {
      if (entry.type === 'tool_call' && isOpenCall(entry))
        this.#change(entry, { ...entry, status: 'failed', endedAt: this.#deps.now() })
    }
  }

  /** The unsaved changes. Call `markSaved` when they are saved. */
  unsavedChange(): SessionChange | undefined {
    if (this.#unsaved.size === 0) return undefined
    return {
      sessionId: this.sessionId,
      title: this.#title,
      status: this.#status,
      turns: this.#runs,
      entries: [...this.#unsaved.values()],
    }
  }

  markSaved(): void {
    this.#unsaved.clear()
  }

  #write(type: 'message' | 'reasoning', openText: TextEntry | undefined, piece: string) {
    const { onText } = this.#deps
    const content = { type, text: (openText?.text ?? '') + piece }
    // More text usually follows soon, so that one save is enough for several pieces.
    const isUrgent = false
    const size = piece.length
    const entry = openText ? this.#change(openText, content, isUrgent, size) : this.#add(content, isUrgent, size)
    this.#text = entry as TextEntry
    onText(entry as TextEntry, openText?.text.length ?? 0, piece)
  }

  #add(content: EntryContent, isUrgent = true, characters = typicalEntrySize): Entry {
    const id = this.#deps.nextId()
    const at = this.#deps.now()
    return this.#store({ ...content, id, revision: id, runId: this.#runId, at, updatedAt: at }, isUrgent, characters)
  }

  #change({ id, runId, at }: Entry, content: EntryContent, isUrgent = true, characters = typicalEntrySize): Entry {
    const revision = this.#deps.nextId()
    return this.#store({ ...content, id, revision, runId, at, updatedAt: this.#deps.now() }, isUrgent, characters)
  }

  #store(entry: Entry, isUrgent: boolean, characters: number): Entry {
    this.#unsaved.set(entry.id, entry)
    // So many changes are unsaved only if they cannot be saved. Then the oldest change is lost.
    if (this.#unsaved.size > maxUnsavedEntries) this.#unsaved.delete(this.#unsaved.keys().next().value!)
    this.#deps.onChange(isUrgent, characters)
    return entry
  }

  #forgetRun(): void {
    this.#calls.clear()
    this.#forgetEntries()
  }

  #forgetEntries(): void {
    this.#questions.clear()
    this.#text = undefined
    this.#plan = undefined
  }
}
