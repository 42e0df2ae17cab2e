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

/** The runs of one intern, as its daemon keeps them. */
export function createRuns(
  deps: Omit<RunRegistryDeps, 'files'> & Pick<WorkspaceDeps, 'state'>,
): Runs & { stop(): Promise<void> } {
  const files = workspaceFiles(deps)
  const startedAt = deps.now()
  const registry = new RunRegistry({ ...deps, files })
  return {
    transcripts: deps.transcripts,
    files,
    start: async (turn, signal) => leaving(await start(registry, turn, signal), signal),
    answer: async (answer, signal) => leaving(resume(registry, deps.store, answer, signal), signal),
    cancel: async (runId, spent, neededUsd) =>
      spent ? registry.overBudget(runId, spent, neededUsd) : registry.cancel(runId, 'The run was cancelled.'),
    question: async (id) => registry.runThatAsked(id)?.whole(id),
    judgeBy: async (rules) => deps.decisions.judgeBy(rules),
    decisions: async (afterSeq) => deps.decisions.after(afterSeq),
    rest: async (idleMs) => registry.rest(idleMs),
    health: async () => ({ contract: contractVersion, startedAt, ...registry.figures() }),
    stop: () => registry.stop(),
  }
}

type Stream = AsyncIterableIterator<TurnEvent>

async function start(registry: RunRegistry, turn: StartTurn, signal: AbortSignal): Promise<Stream> {
  refuseIfGone(signal)
  const run = registry.begin(turn)
  const leave = () => run.left()
  signal.addEventListener('abort', leave, { once: true })
  try {
    return await run.started
  } finally {
    signal.removeEventListener('abort', leave)
  }
}

function resume(
  registry: RunRegistry,
  store: RunRegistryDeps['store'],
  answer: AnswerQuestion,
  signal: AbortSignal,
): Stream {
  refuseIfGone(signal)
  const { questionId = '' } = answer.questionId === pendingQuestion ? pendingOf(registry, answer) : answer
  const run = registry.runThatAsked(questionId)
  const sessionId = run?.session.id ?? store.question(questionId)?.sessionId
  if (sessionId !== answer.sessionId) {
    throw new Refusal('interaction_unknown', 'There is no pending question with this id in this session.')
  }
  if (!run) throw new Refusal('interaction_not_pending', 'The run that asked this question has ended.')
  return run.answer(questionId, answer.answer, answer)
}

const pendingOf = (registry: RunRegistry, { sessionId }: AnswerQuestion) => ({
  questionId: registry.questionOf(sessionId),
})

function refuseIfGone(signal: AbortSignal): void {
  if (signal.aborted) throw new Refusal('stream_severed', 'The caller has gone.')
}

/** A stream that is left when its caller goes, wherever in it the caller is. */
function leaving(stream: Stream, signal: AbortSignal): Stream {
  const leave = () => void stream.return?.()
  if (signal.aborted) leave()
  signal.addEventListener('abort', leave, { once: true })
  return stream
}
