import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { NotLoaded } from './not-loaded.tsx'
import { Loading } from './page-states.tsx'

/**
 * A component whose script is loaded when the component is rendered, or by `preload`.
 * @param name names it in the message if its script cannot be loaded.
 */
export function lazyComponent<Props extends object>(name: string, load: () => Promise<ComponentType<Props>>) {
  let loaded: ComponentType<Props> | undefined
  let loading: Promise<ComponentType<Props>> | undefined
  const preload = () => {
    loading ??= load().then(
      (part) => (loaded = part),
      () => (loaded = () => <NotLoaded what={name} />),
    )
    return loading
  }
  function LazyComponent(props: Props) {
    const [Part, setPart] = useState(() => loaded)
    useEffect(() => {
      if (!Part) void preload().then((part) => setPart(() => part))
    }, [Part])
    return Part ? <Part {...props} /> : <Loading />
  }
  return { LazyComponent, preload }
}
