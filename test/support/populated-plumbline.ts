import { World, type WorldSize } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { startTestPlumbline, type TestPlumbline } from './test-plumbline.ts'

/** A service with resources of every kind, for suites that test the whole contract. */
export interface PopulatedPlumbline {
  plumbline: TestPlumbline
  /** The receiver of the service's webhook subscriptions. */
  receiver: Receiver
  world: World
  stop(): Promise<void>
}

export async function startPopulatedPlumbline(amount: WorldSize = 'plenty'): Promise<PopulatedPlumbline> {
  const plumbline = await startTestPlumbline()
  const receiver = await startReceiver()
  const world = await new World(plumbline, plumbline.key, receiver.url).populate(amount)
  async function stop(): Promise<void> {
    await plumbline.stop()
    await receiver.close()
  }
  return { plumbline, receiver, world, stop }
}
