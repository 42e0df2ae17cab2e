import { Component, type ComponentChildren } from 'preact'
import { asFailure, type Failure } from '../api/failure.ts'
import { Failed } from './page-states.tsx'

/** A defect of one screen is told there, and leaves the others as they are. */
export class Breakwater extends Component<
  { place: string; children: ComponentChildren },
  { failure?: Failure | undefined }
> {
  override state: { failure?: Failure | undefined } = {}

  override componentDidCatch(error: unknown): void {
    this.setState({ failure: asFailure(error) })
  }

  override componentDidUpdate(before: { place: string }): void {
    if (before.place !== this.props.place && this.state.failure) this.setState({ failure: undefined })
  }

  override render() {
    const { failure } = this.state
    if (failure) return <Failed failure={failure} again={() => this.setState({ failure: undefined })} />
    return this.props.children
  }
}
