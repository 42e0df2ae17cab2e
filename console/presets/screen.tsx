import { useRoute } from 'preact-iso/router'
import { PresetList } from './preset-list.tsx'
import { PresetPage } from './preset-page.tsx'

/** Named configurations of requests: `/presets` is the list, `/presets/<slug>` one with its versions. */
export function Screen() {
  const slug = useRoute().params.rest
  return slug ? <PresetPage key={slug} slug={slug} /> : <PresetList />
}
