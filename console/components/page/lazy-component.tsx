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
      (component) => (loaded = component),
      () => (loaded = () => <NotLoaded what={name} />),
    )
    return loading
  }
  function LazyComponent(props: Props) {
    const [Loaded, setLoaded] = useState(() => loaded)
    useEffect(() => {
      if (!Loaded) void preload().then((component) => setLoaded(() => component))
    }, [Loaded])
    return Loaded ? <Loaded {...props} /> : <Loading />
  }
  return { LazyComponent, preload }
}
