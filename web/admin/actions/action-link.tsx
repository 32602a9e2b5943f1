import { Link } from 'react-router'
import type { HeldPermission } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'

/** Shows a button that opens the form of an action. Hidden from users without the permission. */
export function ActionLink({ to, word, needs }: { to: string; word: string; needs: HeldPermission }) {
  const can = useCan()
  if (!can(needs)) return null
  return (
    <Link className="btn primary" to={`/actions/${to}`}>
      {word}
    </Link>
  )
}
