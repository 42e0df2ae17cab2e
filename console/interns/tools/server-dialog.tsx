import { useState } from 'preact/hooks'
import type { McpServer, NewMcpServer } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { Dialog } from '../../components/form/dialog.tsx'
import { FormActions } from '../../components/form/form-actions.tsx'
import { useAction } from '../../components/form/use-action.ts'
import { toast } from '../../components/page/toast.tsx'
import { Credentials } from './credentials.tsx'
import { fieldsOf, newServer, type ServerFields, toApiServer } from './server-fields.ts'

type Props = {
  /** The server to change; undefined for a new one. */
  server?: McpServer
  /** Saves the server; undefined removes it. */
  saveServer: (server: NewMcpServer | undefined) => Promise<void>
  onClose: () => void
}

/** Adds, changes or removes an MCP server. Stored credentials are never displayed. */
export function ServerDialog({ server, saveServer, onClose }: Props) {
  const [fields, setFields] = useState(server ? fieldsOf(server) : newServer)
  const { problem, isBusy, onSubmit } = useAction()
  const title = server ? `Change ${server.name}` : 'Add MCP server'
  const set = (part: Partial<ServerFields>) => setFields({ ...fields, ...part })
  const submit = onSubmit(async () => {
    await saveServer(toApiServer(fields))
    onClose()
    toast(`${fields.name} ${server ? 'updated' : 'added'}. Takes effect at the next start`)
  })
  const remove = async () => {
    await saveServer(undefined)
    onClose()
    toast(`${server?.name} removed. Takes effect at the next start`)
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <h2>{title}</h2>
      <form class="fields" onSubmit={submit} autocomplete="off">
        <label>
          Name (prefix of its tool names)
          <input
            required
            value={fields.name}
            placeholder="search"
            onInput={(event) => set({ name: event.currentTarget.value })}
          />
        </label>
        <label>
          Connection
          <select
            value={fields.type}
            // Environment variables of a command are not headers of a URL.
            onChange={(event) => set({ type: event.currentTarget.value as ServerFields['type'], credentials: [] })}
          >
            <option value="http">HTTP (streamable)</option>
            <option value="sse">HTTP (SSE)</option>
            <option value="stdio">Command on the host</option>
          </select>
        </label>
        {fields.type === 'stdio' ? (
          <>
            <label>
              Command
              <input
                class="mono"
                required
                value={fields.command}
                placeholder="npx"
                onInput={(event) => set({ command: event.currentTarget.value })}
              />
            </label>
            <label>
              Arguments, one per line (not secret)
              <textarea
                class="mono"
                rows={2}
                value={fields.args}
                onInput={(event) => set({ args: event.currentTarget.value })}
              />
            </label>
            <label>
              Paths that it can read in the sandbox, one per line
              <textarea
                class="mono"
                rows={2}
                value={fields.readable}
                placeholder="/opt/tools"
                onInput={(event) => set({ readable: event.currentTarget.value })}
              />
            </label>
          </>
        ) : (
          <label>
            URL
            <input
              class="mono"
              required
              type="url"
              value={fields.url}
              placeholder="https://tools.example.com/mcp"
              onInput={(event) => set({ url: event.currentTarget.value })}
            />
          </label>
        )}
        <Credentials
          label={fields.type === 'stdio' ? 'variable' : 'header'}
          credentials={fields.credentials}
          change={(credentials) => set({ credentials })}
        />
        <label>
          Timeout, seconds
          <input
            type="number"
            min="1"
            max="900"
            required
            value={fields.timeout}
            onInput={(event) => set({ timeout: event.currentTarget.value })}
          />
        </label>
        <FormActions problem={problem} label={server ? 'Save' : 'Add'} disabled={isBusy} onClose={onClose} />
      </form>
      {server && <ConfirmDeleteByName name={server.name} verb="remove" act={remove} />}
    </Dialog>
  )
}
