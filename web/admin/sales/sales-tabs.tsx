import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/sales', word: 'Leads' },
  { to: '/sales/all', word: 'Sales' },
] as const

/** Who may buy, and who does. */
export function SalesTabs() {
  return <PlaceTabs label="Sales" places={PLACES} />
}
