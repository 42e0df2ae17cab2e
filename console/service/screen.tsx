import { ScreenTabs } from '../components/screen-tabs.tsx'
import { Catalogue } from './catalogue.tsx'
import { Providers } from './providers.tsx'
import { Settings } from './settings.tsx'

const parts = [
  { name: '', title: 'Providers', Part: Providers },
  { name: 'catalogue', title: 'Catalogue', Part: Catalogue },
  { name: 'settings', title: 'Settings', Part: Settings },
]

/** How the service was set up: what it still needs, what it has read, what holds. */
export const Screen = () => <ScreenTabs screen="service" title="Service" parts={parts} />
