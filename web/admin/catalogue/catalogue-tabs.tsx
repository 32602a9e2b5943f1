import type { HeldPermission } from '../../../client/contract.gen.ts'
import { useCan } from '../../api/session.ts'
import { LinkTabs } from '../../ui/link-tabs.tsx'

const CATALOGUE_LINKS: readonly { to: string; word: string; needs?: HeldPermission }[] = [
  { to: '/catalogue', word: 'Plans' },
  { to: '/catalogue/options', word: 'Options' },
  { to: '/catalogue/parts', word: 'Parts and prices' },
  { to: '/catalogue/contracts', word: 'Vendor contracts' },
  { to: '/catalogue/cost-codes', word: 'Cost codes' },
  { to: '/catalogue/trades', word: 'Trades', needs: 'vendors:read' },
  { to: '/catalogue/task-templates', word: 'Task templates', needs: 'tasks:read' },
]

/** Shows the tabs of the catalog: plans, options, parts, vendor contracts, cost codes, trades, and task templates. */
export function CatalogueTabs() {
  const can = useCan()
  return <LinkTabs label="Catalog" places={CATALOGUE_LINKS.filter(({ needs }) => needs === undefined || can(needs))} />
}
