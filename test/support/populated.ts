import { type Amount, World } from '../../scripts/conformance/world.ts'
import { type Receiver, startReceiver } from '../../scripts/processes/receiver.ts'
import { startTestPlumbline, type TestPlumbline } from './plumbline.ts'

/** A service with resources of every kind, for suites that walk the contract. */
export interface Populated {
  plumbline: TestPlumbline
  /** The receiver of its webhook subscriptions. */
  receiver: Receiver
  world: World
  stop(): Promise<void>
}

export async function startPopulated(amount: Amount = 'plenty'): Promise<Populated> {
  const plumbline = await startTestPlumbline()
  const receiver = await startReceiver()
  const world = await new World(plumbline, plumbline.key, receiver.url).populate(amount)
  async function stop(): Promise<void> {
    await plumbline.stop()
    await receiver.close()
  }
  return { plumbline, receiver, world, stop }
}
