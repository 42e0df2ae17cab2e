import type { z } from 'zod'
import { approvalModes } from '#interns/contract/approval-mode.ts'
import type { InternResponse } from '#interns/registry/intern.ts'
import type { InternSession } from '#interns/turns/entry-item.ts'
import { quoteForShell } from '#platform/text/quote-for-shell.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { fileTable, type ListedFile } from '../kit/file-table.ts'
import { minute } from '../kit/format.ts'
import { internPath } from '../kit/intern-path.ts'
import { table } from '../kit/table.ts'
import type { Conversation } from './conversation.ts'

type Context = { client: ApiClient; intern: string; chat: Conversation; print: (text: string) => void }
type ListedSession = z.infer<typeof InternSession>

/** The maximum number of listed sessions. */
const maxSessions = 20

export const help = `/new            start a new session
/sessions [n]   list the sessions, or continue the nth one
/files [path]   list a folder of the workspace
/model [id]     show or change the model
/mode [mode]    show or change the approval mode: ${approvalModes.join(' or ')}
/exit           leave, like Ctrl-D or Ctrl-C twice
End a line with \\ to continue on the next line. Pasted lines stay together. Ctrl-C stops the reply.`

/** Runs a command that starts with "/". @returns whether the command exists */
export async function runCommand(context: Context, text: string): Promise<boolean> {
  // The path of a file can contain spaces.
  const [, name = '', argument = ''] = /^\/\s*(\S*)\s*(.*)$/s.exec(text.trim()) ?? []
  const command = commands[name]
  if (command) await command(context, argument)
  return command !== undefined
}

const commands: { [name: string]: (context: Context, argument: string) => unknown } = {
  help: ({ print }) => print(help),
  new: ({ chat, print }) => {
    chat.useSession()
    print('The next prompt starts a new session.')
  },
  async sessions({ client, intern, chat, print }, argument) {
    const path = internPath(intern, `/sessions?limit=${maxSessions}`)
    const { data } = await client.request<{ data: ListedSession[] }>('GET', path)
    if (argument === '') return print(sessionTable(data, chat.session()))
    const chosen = data[Number(argument) - 1] ?? data.find(({ id }) => id === argument)
    if (!chosen) return print(`No session ${argument}. /sessions lists them.`)
    chat.useSession(chosen.id)
    print(`Continuing "${chosen.title}".`)
  },
  async files({ client, intern, print }, argument) {
    const path = internPath(intern, `/files?${new URLSearchParams({ path: argument })}`)
    const { data, has_more } = await client.request<{ data: ListedFile[]; has_more: boolean }>('GET', path)
    print(data.length === 0 ? 'The folder is empty.' : fileTable(data))
    if (has_more) print(`… and more: npx signalbox interns files ls ${intern} ${argument && quoteForShell(argument)}`)
  },
  async model({ client, intern, print }, argument) {
    const path = internPath(intern)
    const describe = ({ model }: InternResponse) => model ?? 'The intern uses the default model of the service.'
    if (argument === '') return print(describe(await client.request<InternResponse>('GET', path)))
    const changed = await client.request<InternResponse>('PATCH', path, { model: argument })
    print(`${describe(changed)} The change takes effect at its next start.`)
  },
  mode({ chat, print }, argument) {
    const newMode = approvalModes.find((mode) => mode === argument)
    if (argument !== '' && !newMode) return print(`The mode must be ${approvalModes.join(' or ')}, not "${argument}".`)
    if (newMode) chat.setMode(newMode)
    print(chat.mode())
  },
}

function sessionTable(sessions: ListedSession[], current: string | undefined): string {
  if (sessions.length === 0) return 'No sessions yet.'
  const rows = sessions.map(({ id, title, status, updated_at }, at) => [
    `${at + 1}${id === current ? '*' : ''}`,
    minute(updated_at),
    status,
    title,
  ])
  return table(['#', 'UPDATED (UTC)', 'STATE', 'TITLE'], rows)
}
