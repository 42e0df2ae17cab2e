import { type Command, Option } from 'commander'
import { StartupError } from '#lib/fault.ts'
import { apiClient, internsHelp, ServiceRefused } from './api-client.ts'
import { answerTo, leavingAnswer } from './chat/answers.ts'
import { type AgentQuestion, type ChatOutput, type Conversation, conversation } from './chat/conversation.ts'
import { type Keyboard, keyboard } from './chat/keyboard.ts'
import { type Show, showOn } from './chat/show.ts'
import { untilRunning } from './chat/until-running.ts'
import { waitingIn } from './chat/waiting.ts'
import type { Terminal } from './terminal.ts'

const help = '/new begins another session, /exit (or Ctrl-D) leaves, Ctrl-C stops what it does.'

export function chatCommand(program: Command, terminal: Terminal): void {
  program
    .command('chat')
    .description('talk to an intern; it asks before it acts')
    .argument('<intern>', 'its name or id')
    .addOption(
      new Option('--mode <mode>', 'whether it asks you for permissions')
        .choices(['manual', 'self-drive'])
        .default('manual'),
    )
    .option('--session <id>', 'go on with an earlier session')
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { mode, session }: { mode: string; session?: string }) => {
      const screen = terminal.screen?.()
      if (!screen) throw new StartupError('There is no terminal to chat at.')
      const client = apiClient(terminal.env, 'an API key')
      await untilRunning(client, intern)
      const hands = { keyboard: keyboard(screen), show: showOn(screen.output) }
      hands.show.line(`Talking to ${intern}. ${help}`)
      const talking = conversation(client, intern, { mode, session })
      try {
        const waiting = session === undefined ? undefined : await waitingIn(client, intern, session)
        if (waiting && (await goOn({ asked: waiting }, talking, hands)) === 'left') return
        await talk(talking, hands)
      } finally {
        hands.keyboard.close()
      }
      const id = talking.session()
      hands.show.line(id ? `\nTo go on: npx signalbox chat ${intern} --session ${id}` : '')
    })
}

/** How long the intern may take to hear that nobody answers. */
const leaveMs = 5000

type ChatConsole = { keyboard: Keyboard; show: Show }

async function talk(session: Conversation, hands: ChatConsole): Promise<void> {
  for (;;) {
    const typed = await hands.keyboard.line('\n> ')
    if (typed === 'left') return
    const text = typed === 'interrupted' ? '' : typed.text.trim()
    if (/^\/?(exit|quit)$/.test(text)) return
    if (text === '/new') session.begin()
    else if (text.startsWith('/')) hands.show.line(help)
    else if (text !== '' && (await turn(session, text, hands)) === 'left') return
  }
}

/** A prompt, and all that the intern asks until it has done. */
async function turn(session: Conversation, text: string, hands: ChatConsole): Promise<'left' | 'done'> {
  return goOn(await hear((signal) => session.prompt(text, signal), hands), session, hands)
}

async function goOn(first: TurnResult, session: Conversation, hands: ChatConsole): Promise<'left' | 'done'> {
  let heard = first
  while (heard.asked) {
    const question: AgentQuestion = heard.asked
    const answer = await answerTo(question, hands)
    if (answer === undefined) {
      await leave(session, question)
      return 'left'
    }
    const next = await hear((signal) => session.answer(question, answer, signal), hands)
    // An answer that did not fit is no answer: the question is still open.
    heard = next.isInvalid ? { asked: question } : next
  }
  return 'done'
}

/** Nobody could be shown the question again: left open, it would hold up the session until it lapses. */
async function leave(session: Conversation, question: AgentQuestion): Promise<void> {
  const heard = new AbortController()
  try {
    const signal = AbortSignal.any([heard.signal, AbortSignal.timeout(leaveMs)])
    for await (const _ of session.answer(question, leavingAnswer(question), signal)) break
  } catch {
    // It lapses by itself.
  }
  heard.abort()
}

type TurnResult = { asked?: AgentQuestion | undefined; isInvalid?: boolean }

/** Shows what comes, until it is over or the person stops it. @returns what the intern asks at the end, if it does. */
async function hear(
  say: (signal: AbortSignal) => AsyncIterable<ChatOutput>,
  { keyboard, show }: ChatConsole,
): Promise<TurnResult> {
  const stop = new AbortController()
  const over = keyboard.interrupted(() => stop.abort())
  const heard: TurnResult = {}
  try {
    for await (const said of say(stop.signal)) {
      if (said.type === 'asked') heard.asked = said.asked
      else if (said.type !== 'activity') show.said(said)
    }
  } catch (error) {
    if (stop.signal.aborted) show.stopped()
    else if (!(error instanceof StartupError)) throw error
    else show.error(error.message)
    heard.isInvalid = error instanceof ServiceRefused && error.status === 400
  } finally {
    over()
  }
  if (!heard.asked) show.line('')
  return heard
}
