import type { Caller } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import { type Attachment, decodeTextFile } from '../contract/attachments.ts'
import { chatFault, refusalToChatFault } from '../contract/chat-fault.ts'
import type { TurnEvent } from '../contract/turn-event.ts'
import { findIntern, type Intern } from '../registry/intern-store.ts'
import type { AnswerLink } from '../runs/approvals.ts'
import { waitUntilEndStored } from '../runs/limited-turns.ts'
import { type ReadMeteredUsage, withMeteredUsage } from '../runs/metered-usage.ts'
import { saveQuestion } from '../runs/questions.ts'
import { storeRun } from '../runs/store-run.ts'
import { type InternChatRequest, parseTurnInput, resolveApprovalMode, type TurnInput } from './chat-request.ts'
import { completeLastEvent, IdleLimit, withIdleTimeout } from './event-iterators.ts'
import {
  prewarmConnection,
  requireReady,
  resumeWithAnswer,
  type StartedTurn,
  type StartTurnDeps,
  startPrompt,
  type TurnContext,
} from './start-turn.ts'
import { countTurn, type TurnRates } from './turn-rate.ts'

export type ChatTurnDeps = StartTurnDeps & {
  rates: TurnRates
  /** Applies the content filters of guardrails to a prompt or an answer. @throws Fault `forbidden`. */
  screen: (caller: Caller, text: string, kind: 'prompt' | 'answer', signal: AbortSignal) => Promise<string>
  readMeteredUsage: ReadMeteredUsage
}

/** `internId` can be the name. `onFound` is called with the id before the intern receives anything. */
export type ChatTurnRequest = {
  internId: string
  request: InternChatRequest
  onFound?: (id: string) => void
  /** The answer link of a request without a key. */
  link?: AnswerLink
}

/** A started turn. Its events end with the closing event, or with `timeout`. */
export type Turn = {
  startedEvent: Extract<TurnEvent, { type: 'turn.started' }>
  events: AsyncIterableIterator<TurnEvent | 'timeout', undefined>
}

/**
 * Starts a turn with a prompt, or with the answer to a pending question. A failure before the turn has started is a fault; a
 * later failure is an event.
 */
export async function startChatTurn(
  deps: ChatTurnDeps,
  caller: Caller,
  { internId, request, onFound, link }: ChatTurnRequest,
  signal: AbortSignal,
): Promise<Turn> {
  const unscreened = parseTurnInput(request)
  const intern = await findReadyIntern(deps, caller, internId)
  onFound?.(intern.id)
  using connection = prewarmConnection(deps, intern)
  const mode = resolveApprovalMode(unscreened.kind === 'prompt' ? unscreened.mode : undefined, intern.approvalMode)
  if (unscreened.kind === 'prompt') await requireTurnRate(deps, caller)
  const input = await screenInput(deps, caller, unscreened, signal)

  const background = request.background === true
  const client = { by: caller.userId, activity: request.stream_options?.include_activity === true, background }
  const context = { caller, intern, link, connection, client }
  const idleLimit = new IdleLimit(deps.idleTimeoutMs)
  const stopSignal = AbortSignal.any([signal, idleLimit.signal])
  try {
    const turn =
      input.kind === 'prompt'
        ? await startPrompt(deps, context, { ...input, mode, budget: request.budget }, stopSignal)
        : await resumeWithAnswer(deps, context, input, stopSignal)
    const { startedEvent, events } = await readStartedEvent(turn.events)
    await storeStarted(deps, context, turn, startedEvent)
    return { startedEvent, events: withIdleTimeout(withStoredEnd(deps, turn, startedEvent, events), idleLimit) }
  } catch (error) {
    const hasTimedOut = idleLimit.endTurn()
    if (signal.aborted)
      throw chatFault('client_closed_request', 'client_closed_request', 'The client closed the request.')
    if (hasTimedOut) throw timeoutFault(deps.idleTimeoutMs)
    throw refusalToChatFault(error)
  }
}

/** Applies content filters to the text of a prompt, its files, or an answer. @throws Fault `forbidden`. */
async function screenInput(
  deps: ChatTurnDeps,
  caller: Caller,
  input: TurnInput,
  signal: AbortSignal,
): Promise<TurnInput> {
  if (input.kind === 'answer') return { ...input, answer: await deps.screen(caller, input.answer, 'answer', signal) }
  const prompt = await deps.screen(caller, input.prompt, 'prompt', signal)
  const attachments: Attachment[] = []
  for (const attachment of input.attachments) attachments.push(await screenFile(deps, caller, attachment, signal))
  return { ...input, prompt, attachments }
}

type StartedEvent = Turn['startedEvent']

/** Reads the first event of a turn. @returns the first and the following events. @throws Fault if the turn did not start. */
async function readStartedEvent(stream: AsyncIterable<TurnEvent>) {
  const events = stream[Symbol.asyncIterator]()
  const first = await events.next()
  if (!first.done && first.value.type === 'turn.failed') throw toStartFault(first.value)
  if (!first.done && first.value.type === 'turn.started') return { startedEvent: first.value, events }
  await events.return?.()
  throw severedFault
}

/**
 * Stores a run before its caller receives its id. So the caller can cancel it, and its cost counts even if its intern is
 * stopped. For an answer the run is stored already, and changes only if the answer moves it to the background.
 */
async function storeStarted(
  deps: ChatTurnDeps,
  { caller, link, client: { background } }: TurnContext,
  { intern, runs, sentPrompt }: StartedTurn,
  { runId: id, sessionId }: StartedEvent,
): Promise<void> {
  const { at = deps.now(), budget } = sentPrompt ?? {}
  if (!background && !sentPrompt) return
  await storeRun(deps, runs, intern.id, {
    id,
    sessionId,
    background,
    startedAt: at,
    budget,
    internKey: intern.keyHash,
    // An answer does not start a run.
    startedBy: sentPrompt ? caller.userId : null,
    // The key whose access is checked while the run continues. Callers who are signed in or use a link have none.
    keyHash: background && caller.access === undefined && !link ? caller.keyHash : undefined,
  })
}

/** The events of a turn. Its question or end is stored before the caller receives it. */
function withStoredEnd(
  deps: ChatTurnDeps,
  { intern, runs, sentPrompt }: StartedTurn,
  { runId, sessionId }: StartedEvent,
  events: AsyncIterator<TurnEvent>,
): AsyncIterator<TurnEvent> {
  let collection: Promise<void> | undefined
  const collectDecisions = () => {
    collection = deps.decisions.collect(intern, runs)
  }
  return completeLastEvent(events, collectDecisions, async (event) => {
    await collection
    // An answer requires the stored question.
    if (event.type === 'question.asked') {
      const action = event.action && (await deps.decisions.concealAction(intern, event.action))
      const { question, deadlineAt } = event
      await saveQuestion(deps, intern.id, { question, sessionId, deadlineAt, action })
      return event
    }
    // An answer can continue a run with a cost limit, which is unknown here.
    const canHaveCostLimit = !sentPrompt || sentPrompt.budget?.costUsd !== undefined
    // The reply ends normally even if the database does not answer.
    const stored = waitUntilEndStored(deps.db, intern.id, runId, { canHaveCostLimit }).catch(() => {})
    const [withUsage] = await Promise.all([withMeteredUsage(event, intern.keyHash, deps.readMeteredUsage), stored])
    return withUsage
  })
}

/** Applies content filters to the text of a file. */
async function screenFile(
  deps: ChatTurnDeps,
  caller: Caller,
  attachment: Attachment,
  signal: AbortSignal,
): Promise<Attachment> {
  const text = decodeTextFile(attachment)
  if (text === undefined) return attachment
  const screened = await deps.screen(caller, text, 'prompt', signal)
  return { ...attachment, data: Buffer.from(screened).toString('base64') }
}

const severedFault = chatFault(
  'bad_gateway',
  'stream_severed',
  'The connection to the intern broke before the turn started.',
)

/** The fault of a turn whose first event is a failure. */
function toStartFault({ reason, message, retryable }: Extract<TurnEvent, { type: 'turn.failed' }>) {
  return reason === 'stream_severed' ? severedFault : chatFault('bad_gateway', reason, message, { retryable })
}

export function describeTimeout(idleTimeoutMs: number): string {
  return `The intern sent no output for ${Math.round(idleTimeoutMs / 1000)} seconds.`
}

const timeoutFault = (idleTimeoutMs: number) => chatFault('gateway_timeout', 'timeout', describeTimeout(idleTimeoutMs))

async function findReadyIntern(deps: ChatTurnDeps, caller: Caller, id: string): Promise<Intern> {
  const intern = await findIntern(deps, caller, id).catch((error: unknown) => {
    const isUnknown = error instanceof Fault && error.kind === 'not_found'
    throw isUnknown ? chatFault('not_found', 'not_found', 'Intern not found.') : error
  })
  // An intern that sleeps is woken after all other checks.
  if (intern.asleepSince === null) requireReady(intern)
  return intern
}

/** Counts a turn of the caller. @throws Fault `rate_limited` if the user or the organization exceeds its rate. */
async function requireTurnRate(deps: ChatTurnDeps, caller: Caller): Promise<void> {
  const waitMs = await countTurn(deps, caller, deps.rates)
  if (waitMs === undefined) return
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  throw chatFault('rate_limited', 'rate_limited', 'Too many turns this minute for this user or organization.', {
    retryAfterSeconds,
  })
}
