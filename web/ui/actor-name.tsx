import type { ActorVia, LinkCopier } from '../../client/contract.gen.ts'
import { useMay } from '../api/caller.ts'
import { Name } from './name.tsx'

/** Shows the name of an actor with a link, if this user may see them. */
export function ActorName({ of }: { of: { type: string; id: string | null; via?: ActorVia; copiedBy?: LinkCopier } }) {
  const { type, id, via, copiedBy } = of
  const may = useMay()
  if (type === 'user') {
    const name = id !== null && may('users:read') ? <Name of="user" id={id} /> : 'a colleague'
    return via === undefined ? (
      name
    ) : (
      <>
        {name} by {via.client}
      </>
    )
  }
  if (type === 'vendor') {
    const name = id !== null && may('vendors:read') ? <Name of="vendor" id={id} /> : 'the vendor'
    return copiedBy === undefined ? (
      name
    ) : (
      <>
        {name}, through a link that {copiedBy.name} copied
      </>
    )
  }
  if (type === 'key') return id !== null && may('keys:read') ? <Name of="key" id={id} /> : 'an integration'
  return type === 'operator' ? 'the operator' : 'the service'
}
