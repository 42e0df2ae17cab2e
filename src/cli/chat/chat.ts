import { type Command, Option } from 'commander'
import { StartupError } from '#platform/core/fault.ts'
import { apiClient, internsHelp } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'
import { help, runCommand } from './commands.ts'
import { conversation } from './conversation.ts'
import { keyboard } from './keyboard.ts'
import { showOn } from './show.ts'
import { answerWaiting, say, type Talk } from './turn.ts'
import { untilRunning } from './until-running.ts'

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
      const client = apiClient(terminal.env, 'api')
      const show = showOn(screen.output)
      await untilRunning(client, intern, show.line)
      const keys = keyboard(screen, show.queued)
      show.line(`Talking to ${intern}. /help tells the commands; Ctrl-C stops what it does, Ctrl-D leaves.`)
      const talk: Talk = {
        client,
        intern,
        talking: conversation(client, intern, { mode, session }),
        keyboard: keys,
        show,
      }
      try {
        await converse(talk)
      } finally {
        keys.close()
      }
      const id = talk.talking.session()
      show.line(id ? `\nTo go on: npx signalbox chat ${intern} --session ${id}` : '')
    })
}

async function converse(talk: Talk): Promise<void> {
  const { keyboard, show } = talk
  if ((await answerWaiting(talk)) === 'left') return
  for (let interrupted = false; ; ) {
    const typed = await keyboard.prompt('\n> ')
    if (typed === 'left' || (typed === 'interrupted' && interrupted)) return
    interrupted = typed === 'interrupted'
    if (typed === 'interrupted') {
      show.line('(Ctrl-C once more leaves.)')
      continue
    }
    const text = typed.text.trim()
    if (/^\/?(exit|quit)$/.test(text)) return
    if (text.startsWith('/')) await command(talk, text)
    else if (text !== '' && (await say(talk, text)) === 'left') return
  }
}

/** What a command says may be an agent's, or the service's no. */
async function command({ client, intern, talking, show }: Talk, text: string): Promise<void> {
  try {
    if (!(await runCommand({ client, intern, talking, say: show.line }, text))) show.line(help)
  } catch (error) {
    if (!(error instanceof StartupError)) throw error
    show.error(error.message)
  }
}
