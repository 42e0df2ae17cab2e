import type { z } from 'zod'
import { approvalModes, type InternRecord } from '#interns/registry/intern.ts'
import type { InternSession } from '#interns/turns/entry-item.ts'
import { fileTable, type ListedFile } from '../commands/interns/files.ts'
import type { ApiClient } from '../kit/api-client.ts'
import { internPath } from '../kit/intern-path.ts'
import { table } from '../kit/table.ts'
import type { Conversation } from './conversation.ts'

type Context = { client: ApiClient; intern: string; talking: Conversation; say: (text: string) => void }
type ListedSession = z.infer<typeof InternSession>

/** How many sessions are listed. */
const mostSessions = 20

export const help = `/new            begin another session
/sessions [n]   list the sessions, or go on with the nth of them
/files [path]   list a folder of its workspace
/model [id]     tell which model it thinks with, or change it
/mode [mode]    ${approvalModes.join(' or ')}: whether it asks before it acts
/exit           leave; Ctrl-D and Ctrl-C twice do as well
A line that ends with \\ goes on in the next one; pasted lines stay together. Ctrl-C stops what it does.`

/** What is typed after "/". @returns whether there is such a command */
export async function runCommand(context: Context, text: string): Promise<boolean> {
  const [name = '', argument = ''] = text.slice(1).trim().split(/\s+/)
  const command = commands[name]
  if (command) await command(context, argument)
  return command !== undefined
}

const commands: { [name: string]: (context: Context, argument: string) => unknown } = {
  help: ({ say }) => say(help),
  new: ({ talking, say }) => {
    talking.take()
    say('The next prompt begins another session.')
  },
  async sessions({ client, intern, talking, say }, argument) {
    const path = internPath(intern, `/sessions?limit=${mostSessions}`)
    const { data } = await client.ask<{ data: ListedSession[] }>('GET', path)
    if (argument === '') return say(sessionTable(data, talking.session()))
    const chosen = data[Number(argument) - 1] ?? data.find(({ id }) => id === argument)
    if (!chosen) return say(`There is no session ${argument}: /sessions lists them.`)
    talking.take(chosen.id)
    say(`Going on with "${chosen.title}".`)
  },
  async files({ client, intern, say }, argument) {
    const path = internPath(intern, `/files?${new URLSearchParams({ path: argument })}`)
    const { data, has_more } = await client.ask<{ data: ListedFile[]; has_more: boolean }>('GET', path)
    say(data.length === 0 ? 'Nothing is in there.' : fileTable(data))
    if (has_more) say(`… and more: npx signalbox interns files ls ${intern} ${argument}`)
  },
  async model({ client, intern, say }, argument) {
    const change = argument && { model: argument }
    const path = internPath(intern)
    const { model } = await (change
      ? client.ask<InternRecord>('PATCH', path, change)
      : client.ask<InternRecord>('GET', path))
    say(
      `${model ?? 'The model is the service’s own choice.'}${change ? ' It is taken at the next start of the intern.' : ''}`,
    )
  },
  mode({ talking, say }, argument) {
    const wanted = approvalModes.find((mode) => mode === argument)
    if (argument !== '' && !wanted) return say(`The mode is ${approvalModes.join(' or ')}, not "${argument}".`)
    if (wanted) talking.setMode(wanted)
    say(talking.mode())
  },
}

function sessionTable(sessions: ListedSession[], current: string | undefined): string {
  if (sessions.length === 0) return 'There are no sessions yet.'
  const rows = sessions.map(({ id, title, status, updated_at }, at) => [
    `${at + 1}${id === current ? '*' : ''}`,
    updated_at.slice(0, 16).replace('T', ' '),
    status,
    title,
  ])
  return table(['', 'LAST (UTC)', 'STATE', 'BEGAN WITH'], rows)
}
