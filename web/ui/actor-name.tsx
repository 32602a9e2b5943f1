import type { ActorVia, LinkCopier } from '../../client/contract.gen.ts'
import { useCan, useSession } from '../api/session.ts'
import { RecordName } from './record-name.tsx'

/** Shows the name of an actor, with a link if this user may view the actor. */
export function ActorName({ of }: { of: { type: string; id: string | null; via?: ActorVia; copiedBy?: LinkCopier } }) {
  const { type, id, via, copiedBy } = of
  const can = useCan()
  const { user } = useSession()
  if (type === 'user') {
    const unseen = id === user.id ? user.name : 'a colleague'
    const name = id !== null && can('users:read') ? <RecordName of="user" id={id} /> : unseen
    return via === undefined ? (
      name
    ) : (
      <>
        {name} via {via.client}
      </>
    )
  }
  if (type === 'vendor') {
    const name = id !== null && can('vendors:read') ? <RecordName of="vendor" id={id} /> : 'the vendor'
    return copiedBy === undefined ? (
      name
    ) : (
      <>
        {name}, through a link that {copiedBy.name} copied
      </>
    )
  }
  if (type === 'home_owner')
    return id !== null && can('owners:read') ? <RecordName of="homeOwner" id={id} /> : 'the home owner'
  if (type === 'key') return id !== null && can('keys:read') ? <RecordName of="key" id={id} /> : 'an integration'
  return type === 'operator' ? 'the operator' : 'the service'
}
