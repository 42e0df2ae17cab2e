import { useState } from 'preact/hooks'
import type { McpServer, NewMcpServer } from '../../api/types.ts'
import { ConfirmDeleteByName } from '../../components/form/confirm-delete-by-name.tsx'
import { FormDialog } from '../../components/form/form-dialog.tsx'
import { toast } from '../../components/page/toast.tsx'
import { Credentials } from './credentials.tsx'
import { fieldsOf, newServer, type ServerFields, toApiServer } from './server-fields.ts'

type Props = {
  /** The server to change; undefined for a new one. */
  server?: McpServer
  /** Saves the server; undefined removes it. */
  onSave: (server: NewMcpServer | undefined) => Promise<void>
  onClose: () => void
}

/** A dialog that adds, changes or removes an MCP server. Stored credentials are never displayed. */
export function ServerDialog({ server, onSave, onClose }: Props) {
  const [fields, setFields] = useState(server ? fieldsOf(server) : newServer)
  const title = server ? `Change ${server.name}` : 'Add MCP server'
  const update = (part: Partial<ServerFields>) => setFields({ ...fields, ...part })
  const submit = async () => {
    await onSave(toApiServer(fields))
    onClose()
    toast(`${fields.name} ${server ? 'updated' : 'added'}. Takes effect at the next start`)
  }
  const remove = async () => {
    await onSave(undefined)
    onClose()
    toast(`${server?.name} removed. Takes effect at the next start`)
  }
  return (
    <FormDialog
      title={title}
      label={server ? 'Save' : 'Add'}
      onSubmit={submit}
      onClose={onClose}
      below={server && <ConfirmDeleteByName name={server.name} verb="remove" onConfirm={remove} />}
    >
      <label>
        Name (prefix of its tool names)
        <input
          required
          value={fields.name}
          placeholder="search"
          onInput={(event) => update({ name: event.currentTarget.value })}
        />
      </label>
      <label>
        Connection
        <select
          value={fields.type}
          // Environment variables of a command are not headers of a URL.
          onChange={(event) => update({ type: event.currentTarget.value as ServerFields['type'], credentials: [] })}
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
              onInput={(event) => update({ command: event.currentTarget.value })}
            />
          </label>
          <label>
            Arguments, one per line (not secret)
            <textarea
              class="mono"
              rows={2}
              value={fields.args}
              onInput={(event) => update({ args: event.currentTarget.value })}
            />
          </label>
          <label>
            Paths that it can read in the sandbox, one per line
            <textarea
              class="mono"
              rows={2}
              value={fields.readable}
              placeholder="/opt/tools"
              onInput={(event) => update({ readable: event.currentTarget.value })}
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
            onInput={(event) => update({ url: event.currentTarget.value })}
          />
        </label>
      )}
      <Credentials
        label={fields.type === 'stdio' ? 'variable' : 'header'}
        credentials={fields.credentials}
        onChange={(credentials) => update({ credentials })}
      />
      <label>
        Timeout, seconds
        <input
          type="number"
          min="1"
          max="900"
          required
          value={fields.timeout}
          onInput={(event) => update({ timeout: event.currentTarget.value })}
        />
      </label>
    </FormDialog>
  )
}
