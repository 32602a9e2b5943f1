import { PlaceTabs } from '../../ui/place-tabs.tsx'

const PLACES = [
  { to: '/catalogue', word: 'Plans' },
  { to: '/catalogue/options', word: 'Options' },
  { to: '/catalogue/parts', word: 'Parts and prices' },
  { to: '/catalogue/cost-codes', word: 'Cost codes' },
] as const

/** Tabs for the catalog: plans, options, parts and cost codes. */
export function CatalogueTabs() {
  return <PlaceTabs label="Catalog" places={PLACES} />
}
