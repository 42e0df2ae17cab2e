import { StartupError } from '#platform/core/fault.ts'
import { type ApiClient, ServiceRefused } from '../kit/api-client.ts'
import { answerTo, leavingAnswer } from './answers.ts'
import type { AgentQuestion, ChatOutput, Conversation } from './conversation.ts'
import type { Keyboard } from './keyboard.ts'
import type { Show } from './show.ts'
import { waitingIn } from './waiting.ts'

export type Talk = { client: ApiClient; intern: string; talking: Conversation; keyboard: Keyboard; show: Show }

/** How long the intern may take to hear that nobody answers. */
const leaveMs = 5000

/** A prompt, and all that the intern asks until it has done. What the session waits for is answered first. */
export async function say(talk: Talk, text: string): Promise<'left' | 'done'> {
  const heard = await hear(talk, (signal) => talk.talking.prompt(text, signal))
  if (heard.refused !== 409) return goOn(talk, heard)
  const waiting = await waitingNow(talk)
  if (!waiting) return 'done'
  talk.show.line('Its question waits for an answer; your text follows.')
  if ((await goOn(talk, { asked: waiting })) === 'left') return 'left'
  return goOn(talk, await hear(talk, (signal) => talk.talking.prompt(text, signal)))
}

/** Answers what the session waits for, if it does. */
export async function answerWaiting(talk: Talk): Promise<'left' | 'done'> {
  const asked = await waitingNow(talk)
  return asked ? goOn(talk, { asked }) : 'done'
}

async function waitingNow({ client, intern, talking }: Talk): Promise<AgentQuestion | undefined> {
  const session = talking.session()
  return session === undefined ? undefined : waitingIn(client, intern, session)
}

async function goOn(talk: Talk, first: Heard): Promise<'left' | 'done'> {
  let heard = first
  while (heard.asked) {
    const question: AgentQuestion = heard.asked
    const answer = await answerTo(question, talk)
    if (answer === undefined) {
      await leave(talk, question)
      return 'left'
    }
    const next = await hear(talk, (signal) => talk.talking.answer(question, answer, signal))
    // An answer that did not fit is no answer: the question is still open.
    heard = next.refused === 400 ? { asked: question } : next
  }
  return heard.isLeaving ? 'left' : 'done'
}

/** Nobody could be shown the question again: left open, it would hold up the session until it lapses. */
async function leave({ talking }: Talk, question: AgentQuestion): Promise<void> {
  const heard = new AbortController()
  try {
    const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(leaveMs)])
    for await (const _ of talking.answer(question, leavingAnswer(question), signal)) break
  } catch {
    // It lapses by itself.
  }
  heard.abort()
}

type Heard = {
  /** What the intern asks at the end. */
  asked?: AgentQuestion | undefined
  /** The status with which the service refused. */
  refused?: number | undefined
  /** Ctrl-C was pressed again. */
  isLeaving?: boolean
}

/** Shows what comes, until it is over or the person stops it. */
async function hear(
  { keyboard, show }: Talk,
  begin: (signal: AbortSignal) => AsyncIterable<ChatOutput>,
): Promise<Heard> {
  const stop = new AbortController()
  const heard: Heard = {}
  const over = keyboard.interrupted(() => {
    heard.isLeaving = stop.signal.aborted
    stop.abort()
  })
  const rest = show.working()
  try {
    for await (const said of begin(stop.signal)) {
      if (said.type === 'asked') heard.asked = said.asked
      else show.said(said)
    }
  } catch (error) {
    if (stop.signal.aborted) show.stopped()
    else if (!(error instanceof StartupError)) throw error
    else show.error(error.message)
    if (error instanceof ServiceRefused) heard.refused = error.status
  } finally {
    over()
    rest()
  }
  if (!heard.asked) show.line('')
  return heard
}
