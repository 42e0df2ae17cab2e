import { useRef, useState } from 'preact/hooks'
import { call, ifUnchanged } from '../../api/client.ts'
import type { Intern, InternPatch, McpServer, NewMcpServer } from '../../api/types.ts'
import { escapeInvisible } from '../visible-text.ts'
import { ServerDialog } from './server-dialog.tsx'
import { asStored } from './server-fields.ts'
import { WebHosts } from './web-hosts.tsx'

type Props = { intern: Intern; canChange: boolean; onDone: () => void }

/** The MCP servers and web hosts of an intern. */
export function Tools({ intern, canChange, onDone }: Props) {
  const [editedServer, setEditedServer] = useState<McpServer | 'new'>()
  const { mcp_servers: servers } = intern
  /** The intern after the last change, until it is read again. */
  const lastResponse = useRef(intern)
  const newest = () => (lastResponse.current.updated_at > intern.updated_at ? lastResponse.current : intern)
  const params = { internId: intern.id }
  const change = async (body: InternPatch) => {
    try {
      lastResponse.current = await call('PATCH /interns/{internId}', { params, body }, ifUnchanged(newest()))
    } finally {
      // After a change by somebody else, the next attempt starts with it.
      onDone()
    }
  }
  /** Saves one server. The API takes the whole list, so the others are sent unchanged. */
  const saveServer = (before: McpServer | undefined, server: NewMcpServer | undefined) => {
    const others: NewMcpServer[] = servers.filter(({ name }) => name !== before?.name).map(asStored)
    const index = before ? servers.findIndex(({ name }) => name === before.name) : others.length
    return change({ mcp_servers: others.toSpliced(index, 0, ...(server ? [server] : [])) })
  }
  return (
    <>
      <section aria-label="MCP servers">
        <h2>MCP servers</h2>
        <p class="dim">The rules of the intern apply to each tool. Changes take effect at its next start.</p>
        {servers.length === 0 && <p>None.</p>}
        <ul class="interns">
          {servers.map((server) => (
            <ServerLine
              key={server.name}
              server={server}
              onEdit={canChange ? () => setEditedServer(server) : undefined}
            />
          ))}
        </ul>
        {canChange && (
          <button type="button" onClick={() => setEditedServer('new')}>
            Add MCP server
          </button>
        )}
      </section>
      <WebHosts
        key={intern.web_hosts.join()}
        hosts={intern.web_hosts}
        onSave={canChange ? (web_hosts) => change({ web_hosts }) : undefined}
      />
      {!canChange && <p class="dim">Only the creator of the intern can change its tools.</p>}
      {editedServer && (
        <ServerDialog
          server={editedServer === 'new' ? undefined : editedServer}
          onSave={(server) => saveServer(editedServer === 'new' ? undefined : editedServer, server)}
          onClose={() => setEditedServer(undefined)}
        />
      )}
    </>
  )
}

function ServerLine({ server, onEdit }: { server: McpServer; onEdit: (() => void) | undefined }) {
  const { name, type, command, args = [], url, env, headers, timeout_seconds } = server
  const credentials = Object.keys(env ?? headers ?? {})
  return (
    <li>
      <b>{name}</b>
      <span class="dim">{type === 'stdio' ? 'command' : type === 'http' ? 'HTTP' : 'SSE'}</span>
      <span class="about">
        <code>{escapeInvisible(url ?? [command, ...args].join(' '))}</code>{' '}
        <span class="dim">
          {credentials.length > 0 && `with ${escapeInvisible(credentials.join(', '))}, `}timeout {timeout_seconds} s
        </span>
      </span>
      {onEdit && (
        <button type="button" aria-label={`Change ${name}`} onClick={onEdit}>
          Change
        </button>
      )}
    </li>
  )
}
