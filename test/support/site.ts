import { addDays, toLocalDate } from '../../server/platform/values/calendar.ts'
import type { TestPlumbline } from './test-plumbline.ts'

/** A builder with a community, two homes, and three framers, for tests of bidding. */
export interface Site {
  key: string
  organizationId: string
  communityId: string
  lot14: string
  lot15: string
  loneStar: string
  hillCountry: string
  redrock: string
  /** Returns the date that is the given number of days from today, in the community's time zone. */
  day(days: number): string
  /** Returns the fields that all bid requests of the builder share. */
  framing(): { vendorIds: string[]; scope: string; deadline: string; communityId: string; message: string }
}

export const TIME_ZONE = 'America/Chicago'

export async function buildSite(plumbline: TestPlumbline): Promise<Site> {
  const { key, organizationId } = await plumbline.newBuilder({ timeZone: TIME_ZONE })
  async function created(path: string, body: unknown): Promise<string> {
    const response = await plumbline.post(`/api/ext${path}`, body, { key })
    if (response.status !== 201) throw new Error(`${path}: ${JSON.stringify(response.body)}`)
    return response.body.id
  }
  const communityId = await created('/communities', {
    name: 'Juniper Ridge',
    city: 'Austin',
    state: 'TX',
    timeZone: TIME_ZONE,
  })
  const [lot14, lot15] = [
    await created('/homes', { name: 'Lot 14', communityId }),
    await created('/homes', { name: 'Lot 15', communityId }),
  ]
  const framer = (companyName: string) =>
    created('/vendors', {
      companyName,
      email: `bids@${companyName.toLowerCase().replaceAll(/\W/g, '')}.example.com`,
      scopes: ['framing'],
    })
  const loneStar = await framer('Lone Star Framing LLC')
  const hillCountry = await framer('Hill Country Framers')
  const redrock = await framer('Redrock Carpentry')
  const day = (days: number) => addDays(toLocalDate(TIME_ZONE, plumbline.clock.now()), days)
  const framing = () => ({
    vendorIds: [loneStar, hillCountry],
    scope: 'framing',
    deadline: day(14),
    communityId,
    message: 'Framing for Lot 15, slab is poured on December 10.',
  })
  return { key, organizationId, communityId, lot14, lot15, loneStar, hillCountry, redrock, day, framing }
}
