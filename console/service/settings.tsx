import { useState } from 'preact/hooks'
import { useGet } from '../api/resource.ts'
import type { Setting } from '../api/types.ts'
import { EmptyState, FailureState, Loading } from '../components/page/page-states.tsx'
import { formatSource, formatValue, searchSettings } from './settings-text.ts'

/** All settings with their source. Changes of the environment or the configuration file apply after a restart. */
export function Settings() {
  const { data, failure, reload } = useGet('GET /settings', {})
  const [searchText, setSearchText] = useState('')
  const [isNonDefaultOnly, setNonDefaultOnly] = useState(false)
  if (failure) return <FailureState failure={failure} onRetry={reload} />
  if (!data) return <Loading />
  const rows = searchSettings(data.data, searchText).filter(({ source }) => !isNonDefaultOnly || source !== 'default')
  return (
    <>
      <p class="toolbar">
        <input
          type="search"
          aria-label="Find a setting"
          placeholder="Find a setting"
          value={searchText}
          onInput={(event) => setSearchText(event.currentTarget.value)}
        />
        <label class="service-checkbox">
          <input
            type="checkbox"
            checked={isNonDefaultOnly}
            onChange={(event) => setNonDefaultOnly(event.currentTarget.checked)}
          />{' '}
          Only settings that differ from their default
        </label>
      </p>
      {rows.length === 0 && (
        <EmptyState
          title={
            isNonDefaultOnly && searchText === '' ? 'All settings have their default values' : 'No matching settings'
          }
        />
      )}
      {rows.length > 0 && (
        <table class="plain-table service-settings" aria-label="Settings">
          <thead>
            <tr>
              <th scope="col">setting</th>
              <th scope="col">value</th>
              <th scope="col">source</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((setting) => (
              <SettingRow key={setting.name} setting={setting} />
            ))}
          </tbody>
        </table>
      )}
    </>
  )
}

/** Renders the text between backticks as code. */
const renderInlineCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))

function SettingRow({ setting }: { setting: Setting }) {
  const { name, variable, meaning, is_set, source } = setting
  const defaultText = setting.default === null ? '' : `\nDefault: ${JSON.stringify(setting.default)}`
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        <div class="dim service-meaning">{renderInlineCode(meaning)}</div>
      </th>
      <td
        data-head="value"
        class={is_set ? 'mono' : 'dim'}
        title={`${variable ?? 'in the configuration file'}${defaultText}`}
      >
        {formatValue(setting)}
      </td>
      <td data-head="source" class={source === 'default' ? 'dim' : 'mono'}>
        {formatSource(setting)}
      </td>
    </tr>
  )
}
