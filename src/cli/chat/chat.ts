import { type Command, Option } from 'commander'
import { UserFacingError } from '#platform/core/fault.ts'
import { apiKeyHelp, createApiClient } from '../kit/api-client.ts'
import type { Terminal } from '../kit/terminal.ts'
import { help, runCommand } from './commands.ts'
import { createConversation } from './conversation.ts'
import { createDisplay } from './display.ts'
import { createKeyboard } from './keyboard.ts'
import { answerOpenQuestion, type ChatContext, sendPrompt } from './turn.ts'
import { waitUntilRunning } from './wait-until-running.ts'

export function chatCommand(command: Command, terminal: Terminal): void {
  command
    .argument('<intern>', 'Name or ID of the intern')
    .addOption(
      new Option('--mode <mode>', 'Approval mode: whether the intern asks you before it acts')
        .choices(['manual', 'self-drive'])
        .default('manual'),
    )
    .option('--session <id>', 'Continue an earlier session')
    .addHelpText('after', apiKeyHelp)
    .action(async (intern: string, { mode, session }: { mode: string; session?: string }) => {
      const screen = terminal.screen?.()
      if (!screen) throw new UserFacingError('Standard input is not available.')
      const client = createApiClient(terminal.env, 'api')
      const display = createDisplay(screen.output)
      await waitUntilRunning(client, intern, display.line)
      const keys = createKeyboard(screen, display.queued)
      display.line(`Chatting with ${intern}. /help lists the commands. Ctrl-C stops the reply, Ctrl-D leaves.`)
      const context: ChatContext = {
        client,
        intern,
        chat: createConversation(client, intern, { mode, session }),
        keyboard: keys,
        display,
      }
      try {
        await converse(context)
      } finally {
        keys.close()
      }
      const id = context.chat.session()
      display.line(id ? `\nTo continue: npx signalbox chat ${intern} --session ${id}` : '')
    })
}

async function converse(context: ChatContext): Promise<void> {
  const { keyboard, display } = context
  if ((await answerOpenQuestion(context)) === 'left') return
  let wasInterrupted = false
  for (;;) {
    const userInput = await keyboard.prompt('\n> ')
    if (userInput === 'left' || (userInput === 'interrupted' && wasInterrupted)) return
    wasInterrupted = userInput === 'interrupted'
    if (userInput === 'interrupted') {
      display.line('(Press Ctrl-C again to leave.)')
      continue
    }
    const text = userInput.text.trim()
    if (/^\/?(exit|quit)$/.test(text)) return
    if (text.startsWith('/')) await runSlashCommand(context, text)
    else if (text !== '' && (await sendPrompt(context, text)) === 'left') return
  }
}

/** Runs a command such as /files. Errors of the service are displayed. */
async function runSlashCommand({ client, intern, chat, display }: ChatContext, text: string): Promise<void> {
  try {
    if (!(await runCommand({ client, intern, chat, print: display.line }, text))) display.line(help)
  } catch (error) {
    if (!(error instanceof UserFacingError)) throw error
    display.error(error.message)
  }
}
