import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/sales', word: 'Leads' },
  { to: '/sales/all', word: 'Sales' },
] as const

/** Tabs for leads and sales. */
export function SalesTabs() {
  return <PlaceTabs label="Sales" places={PLACES} />
}
