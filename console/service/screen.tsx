import '../components/lazy-chunk.ts'
import { ScreenTabs } from '../components/page/screen-tabs.tsx'
import { Catalogue } from './catalogue.tsx'
import { Providers } from './providers.tsx'
import { Settings } from './settings.tsx'

const tabs = [
  { name: '', title: 'Providers', Content: Providers },
  { name: 'catalogue', title: 'Catalogue', Content: Catalogue },
  { name: 'settings', title: 'Settings', Content: Settings },
]

/** Providers, catalogue and settings of the service. */
export const Screen = () => <ScreenTabs screen="service" title="Service" tabs={tabs} />
