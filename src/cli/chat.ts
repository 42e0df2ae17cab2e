import { type Command, Option } from 'commander'
import { StartupError } from '#lib/fault.ts'
import { apiClient, internsHelp } from './api-client.ts'
import { answerTo } from './chat/answers.ts'
import { type Asked, conversation, type Said } from './chat/conversation.ts'
import { keyboard } from './chat/keyboard.ts'
import type { Terminal } from './terminal.ts'

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
    .addHelpText('after', internsHelp)
    .action(async (intern: string, { mode }: { mode: string }) => {
      const { input, output } = terminal.screen?.() ?? {}
      if (!input || !output) throw new StartupError('There is no terminal to chat at.')
      const client = apiClient(terminal.env, 'an API key')
      const write = (text: string) => void output.write(text)
      const hands = { keyboard: keyboard({ input, output }), write }
      write(`Talking to ${intern}. Ctrl-C stops what it does, Ctrl-D leaves.\n`)
      await talk(conversation(client, intern, mode), hands)
      write('\n')
    })
}

type Hands = Parameters<typeof answerTo>[1]
type Session = ReturnType<typeof conversation>

async function talk(session: Session, hands: Hands): Promise<void> {
  for (;;) {
    const text = await hands.keyboard.line('\n> ')
    if (text === undefined) return
    if (text.trim() === '') continue
    let asked = await hear((signal) => session.prompt(text, signal), hands)
    while (asked) {
      const question: Asked = asked
      const answer = await answerTo(question, hands)
      if (answer === undefined) return
      asked = await hear((signal) => session.answer(question, answer, signal), hands)
    }
  }
}

/** Shows what comes, until it is over or the person stops it. @returns what the intern asks at the end, if it does. */
async function hear(say: (signal: AbortSignal) => AsyncIterable<Said>, { keyboard, write }: Hands) {
  const stop = new AbortController()
  const over = keyboard.interrupted(() => stop.abort())
  let asked: Asked | undefined
  let thinking = false
  try {
    for await (const said of say(stop.signal)) {
      if (said.type === 'asked') asked = said.asked
      else write((thinking && said.type === 'text' ? '\n\n' : '') + styled(said))
      thinking = said.type === 'reasoning'
    }
  } catch (error) {
    if (!stop.signal.aborted && !(error instanceof StartupError)) throw error
    write(stop.signal.aborted ? '\n\x1b[2m(stopped)\x1b[0m' : `\n\x1b[31m${(error as Error).message}\x1b[0m`)
  } finally {
    over()
  }
  if (!asked) write('\n')
  return asked
}

function styled(said: Exclude<Said, { type: 'asked' }>): string {
  if (said.type === 'text') return said.text
  return said.type === 'reasoning' ? `\x1b[2m${said.text}\x1b[0m` : `\n\x1b[31m${said.text}\x1b[0m`
}
