import { Refusal } from '#interns/contract/refusal.ts'
import {
  type AnswerQuestion,
  contractVersion,
  pendingQuestion,
  type Runs,
  type StartTurn,
} from '#interns/contract/runs.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { type WorkspaceDeps, workspaceFiles } from '../files/workspace-files.ts'
import { RunRegistry, type RunRegistryDeps } from './run-registry.ts'

/** Creates the runs of one intern in its daemon. */
export function createRuns(
  deps: Omit<RunRegistryDeps, 'files'> & Pick<WorkspaceDeps, 'state'>,
): Runs & { stop(): Promise<void> } {
  const files = workspaceFiles(deps)
  const startedAt = deps.now()
  const registry = new RunRegistry({ ...deps, files })
  return {
    transcripts: deps.transcripts,
    files,
    start: async (turn, signal) => returnOnAbort(await start(registry, turn, signal), signal),
    answer: async (answer, signal) => returnOnAbort(resume(registry, deps.store, answer, signal), signal),
    cancel: async (runId, exceededBudget, neededUsd) =>
      exceededBudget ? registry.endOverBudget(runId, exceededBudget, neededUsd) : registry.cancel(runId),
    question: async (id) => registry.runOfQuestion(id)?.questions.permissionDetails(id),
    setRules: async (rules) => deps.decisions.setRules(rules),
    decisions: async (afterSeq) => deps.decisions.acknowledge(afterSeq),
    rest: async (idleMs) => registry.rest(idleMs),
    health: async () => ({ contract: contractVersion, startedAt, ...registry.health() }),
    stop: () => registry.stop(),
  }
}

type Stream = AsyncIterableIterator<TurnEvent>

async function start(registry: RunRegistry, turn: StartTurn, signal: AbortSignal): Promise<Stream> {
  refuseIfAborted(signal)
  const run = registry.start(turn)
  const onAbort = () => run.reply.onCallerLeft()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await run.reply.started
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function resume(
  registry: RunRegistry,
  store: RunRegistryDeps['store'],
  answer: AnswerQuestion,
  signal: AbortSignal,
): Stream {
  refuseIfAborted(signal)
  const isForPending = answer.questionId === pendingQuestion
  const questionId = isForPending ? (registry.questionOf(answer.sessionId) ?? '') : answer.questionId
  const run = registry.runOfQuestion(questionId)
  const sessionId = run?.session.id ?? store.question(questionId)?.sessionId
  if (sessionId !== answer.sessionId) {
    throw new Refusal('interaction_unknown', 'No question with this id is pending in this session.')
  }
  if (!run) throw new Refusal('interaction_not_pending', 'The run that asked this question has ended.')
  return run.answer(questionId, answer.answer, answer)
}

function refuseIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new Refusal('stream_severed', 'The caller has disconnected.')
}

/** Ends the stream when its caller disconnects, also while a read is pending. */
function returnOnAbort(stream: Stream, signal: AbortSignal): Stream {
  const onAbort = () => void stream.return?.()
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  return stream
}
