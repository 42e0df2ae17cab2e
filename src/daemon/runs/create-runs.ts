import {
  type AnswerQuestion,
  contractVersion,
  type DaemonApi,
  pendingQuestionId,
  type StartTurn,
} from '#interns/contract/daemon-api.ts'
import { Refusal } from '#interns/contract/refusal.ts'
import type { TurnEvent } from '#interns/contract/turn-event.ts'
import { createWorkspaceFiles, type WorkspaceDeps } from '../files/workspace-files.ts'
import { RunRegistry, type RunRegistryDeps } from './run-registry.ts'

/** Creates the daemon's implementation of `DaemonApi`, which starts, resumes and cancels runs. */
export function createRuns(
  deps: Omit<RunRegistryDeps, 'files'> & Pick<WorkspaceDeps, 'state'>,
): DaemonApi & { stop(): Promise<void> } {
  const files = createWorkspaceFiles(deps)
  const startedAt = deps.now()
  const registry = new RunRegistry({ ...deps, files })
  return {
    transcripts: deps.transcripts,
    files,
    start: async (turn, signal) => returnOnAbort(await start(registry, turn, signal), signal),
    answer: async (request, signal) => returnOnAbort(resume(registry, deps.store, request, signal), signal),
    cancel: async (runId, exceededBudget, neededUsd) =>
      exceededBudget ? registry.endOverBudget(runId, exceededBudget, neededUsd) : registry.cancel(runId),
    question: async (id) => registry.runOfQuestion(id)?.questions.permissionDetails(id),
    setRules: async (rules) => deps.decisions.setRules(rules),
    decisions: async (afterSeq) => deps.decisions.acknowledge(afterSeq),
    drain: async (idleMs) => registry.refuseRunsIfIdle(idleMs),
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
    return await run.reply.whenStarted
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

function resume(
  registry: RunRegistry,
  store: RunRegistryDeps['store'],
  request: AnswerQuestion,
  signal: AbortSignal,
): Stream {
  refuseIfAborted(signal)
  const isForPending = request.questionId === pendingQuestionId
  const questionId = isForPending ? (registry.questionOf(request.sessionId) ?? '') : request.questionId
  const run = registry.runOfQuestion(questionId)
  const sessionId = run?.session.id ?? store.question(questionId)?.sessionId
  if (sessionId !== request.sessionId) {
    throw new Refusal('interaction_unknown', 'No question with this id is pending in this session.')
  }
  if (!run) throw new Refusal('interaction_not_pending', 'The run that asked this question has ended.')
  return run.answer(questionId, request.answer, request)
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
