import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useAllRows } from '../api/pages.ts'
import { canManage } from '../api/session.ts'
import type { Preset } from '../api/types.ts'
import { presetNameAttributes } from '../components/form/preset-name.ts'
import { Heading } from '../components/page/heading.tsx'
import { EmptyState, FailureState, Loading, Progress } from '../components/page/page-states.tsx'
import { type Column, Table } from '../components/table/table.tsx'
import { RelativeTime } from '../components/text/timestamp.tsx'
import { countText } from '../format/count.ts'

const exampleCommand = `curl "$BASE_URL/presets/haiku/chat/completions" -H "Authorization: Bearer $MANAGEMENT_KEY" \\
  -H 'content-type: application/json' \\
  -d '{"model": "signalbox/demo", "messages": [{"role": "system", "content": "Answer with a haiku."}]}'`

/** All visible presets. */
export function PresetList() {
  const { route } = useLocation()
  const { data: presets, failure, isLoading, isCurrent, reload } = useAllRows('GET /presets', {})
  return (
    <div class="screen">
      <Heading isHidden>Presets</Heading>
      <Progress isOn={isLoading && !isCurrent} />
      <div class="bar">
        <span class="dim" role="status">
          {presets ? countText(presets.length, 'preset') : ''}
        </span>
        {canManage() && presets && <NewPreset presets={presets} />}
      </div>
      {failure && <FailureState failure={failure} onRetry={reload} />}
      {!failure && !presets && <Loading />}
      {!failure && presets?.length === 0 && (
        <EmptyState title="No presets yet" command={canManage() ? exampleCommand : undefined}>
          <p>
            {canManage()
              ? 'Create one above, save the settings of a chat, or run:'
              : 'An owner or admin can create presets.'}
          </p>
        </EmptyState>
      )}
      {!failure && presets && presets.length > 0 && (
        <Table<Preset>
          label="Presets"
          rows={presets}
          columns={columns}
          keyOf={({ id }) => id}
          onOpen={({ slug }) => route(`/presets/${slug}`)}
          narrow={PresetCard}
        />
      )}
    </div>
  )
}

/** A form that opens the editor of a new preset, or of the preset that has the name already. */
function NewPreset({ presets }: { presets: Preset[] }) {
  const { route } = useLocation()
  const [slug, setSlug] = useState('')
  const openEditor = (event: Event) => {
    event.preventDefault()
    const exists = presets.some((preset) => preset.slug === slug)
    route(`/presets/${slug}${exists ? '' : '?edit=new'}`)
  }
  return (
    <form class="preset-new" onSubmit={openEditor}>
      <input
        aria-label="Name of a new preset"
        {...presetNameAttributes}
        autocomplete="off"
        value={slug}
        onInput={(event) => setSlug(event.currentTarget.value)}
      />
      <button type="submit">Create preset</button>
    </form>
  )
}

const columns: Column<Preset>[] = [
  { name: 'slug', title: 'name', width: 'minmax(140px, 1fr)', cell: ({ slug }) => <b>@preset/{slug}</b> },
  { name: 'description', title: 'description', width: 'minmax(140px, 2fr)', cell: ({ description }) => description },
  { name: 'status', title: 'status', width: '90px', cell: ({ status }) => status },
  { name: 'updated', title: 'updated', width: '110px', cell: ({ updated_at }) => <RelativeTime time={updated_at} /> },
]

function PresetCard({ slug, status, updated_at }: Preset) {
  return (
    <div class="two-lines">
      <div>
        <b>@preset/{slug}</b>
      </div>
      <div class="dim">
        <span>
          {status}, updated <RelativeTime time={updated_at} />
        </span>
      </div>
    </div>
  )
}
