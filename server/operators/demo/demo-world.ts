import { type RowOf, readRows, splitList, toNumberOrNull } from './data-files.ts'

/**
 * The builder that a new user sees: Harrow & Finch Homes in Austin, Texas, in the middle of its year. All names,
 * addresses, and phone numbers are fictional (555 numbers, .example domains). Days are counted backward from the day on
 * which the demo is created.
 */
export const BUILDER = {
  name: 'Harrow & Finch Homes',
  currency: 'USD',
  timeZone: 'America/Chicago',
  owner: { name: 'Priya Harrow', email: 'priya@harrowfinch.example.com' },
}

/** The budget of a basic home by trade, for budgets that are entered manually. */
export const BUDGETS = {
  foundation: 28_400,
  framing: 42_000,
  roofing: 16_800,
  windows: 14_200,
  plumbing: 18_500,
  electrical: 21_000,
  hvac: 15_600,
  drywall: 17_300,
  painting: 9_800,
  landscaping: 7_400,
} as const
export type ScopeName = keyof typeof BUDGETS

/**
 * The number of days ago at which the price book had a price for every part. Homes that were planned earlier have
 * manual budgets.
 */
const PRICES_KNOWN_SINCE = 150

/** Returns whether the home was planned before there were prices from which its budget could be computed. */
export function hasManualBudget({ row, days }: DemoHome): boolean {
  return row.plan === '' || days.planning > PRICES_KNOWN_SINCE
}

export const COMMUNITIES = [
  { name: 'Juniper Ridge', code: 'JR', city: 'Austin', postalCode: '78738', lotCount: 48, moves: ['active'] },
  { name: 'Mill Creek Crossing', code: 'MCC', city: 'Round Rock', postalCode: '78664', lotCount: 62, moves: [] },
  {
    name: 'Cedar Hollow',
    code: 'CH',
    city: 'Dripping Springs',
    postalCode: '78620',
    lotCount: 24,
    moves: ['active', 'sold_out'],
  },
  { name: 'Barton Bluff', code: 'BB', city: 'Austin', postalCode: '78746', lotCount: 30, moves: ['active'] },
] as const

type HomeStatus =
  | 'permitting'
  | 'ready_to_start'
  | 'under_construction'
  | 'completed'
  | 'closed'
  | 'on_hold'
  | 'cancelled'

export interface DemoHome {
  /** The community and lot of the home, as in the files. */
  key: string
  /** The home's row in the file. Its size is relative to that of a basic home. */
  row: RowOf<'homes'>
  /** The number of days ago at which the home reached each status; null if it has not. */
  days: Readonly<Record<(typeof STATUS_STEPS)[number], number | null>> & { planning: number }
}

const STATUS_STEPS = ['permitting', 'ready', 'start', 'completed', 'closed', 'held', 'cancelled'] as const

export function listDemoHomes(): DemoHome[] {
  return readRows('homes').map((row) => {
    const { community, lotNumber, status, heldOrCancelledDaysAgo } = row
    return {
      ...{ key: `${community} ${lotNumber}`, row },
      days: {
        planning: Number(row.planningDaysAgo),
        permitting: toNumberOrNull(row.permittingDaysAgo),
        ready: toNumberOrNull(row.readyDaysAgo),
        start: toNumberOrNull(row.startDaysAgo),
        completed: toNumberOrNull(row.completedDaysAgo),
        closed: toNumberOrNull(row.closedDaysAgo),
        held: status === 'on_hold' ? Number(heldOrCancelledDaysAgo) : null,
        cancelled: status === 'cancelled' ? Number(heldOrCancelledDaysAgo) : null,
      },
    }
  })
}

/** Returns the changes of a home's status after planning, each with the number of days ago. */
export function listHomeMoves({ days }: DemoHome): { status: HomeStatus; daysAgo: number }[] {
  return STATUS_STEPS.flatMap((step) => {
    const daysAgo = days[step]
    return daysAgo === null ? [] : [{ status: STATUS_BY_STEP[step], daysAgo }]
  })
}

const STATUS_BY_STEP: Readonly<Record<(typeof STATUS_STEPS)[number], HomeStatus>> = {
  ...{ permitting: 'permitting', ready: 'ready_to_start', start: 'under_construction', completed: 'completed' },
  ...{ closed: 'closed', held: 'on_hold', cancelled: 'cancelled' },
}

/** A document that awaits review, was rejected, or was waived, or a valid document of a type. */
export type DemoDocument = 'unread' | 'refused' | 'waived' | 'workers_comp' | 'license'

export interface DemoVendor {
  name: string
  contact: string
  scopes: readonly string[]
  /** The number of days until the liability policy ends; null for a vendor without documents. */
  insuredFor: number | null
  status?: 'prospective' | 'on_hold' | 'inactive'
  community?: string
  poLimit?: number
  /** Documents in addition to the liability insurance and the tax form that every insured vendor has. */
  papers?: readonly DemoDocument[]
}

export const VENDORS: readonly DemoVendor[] = [
  {
    name: 'Lone Star Framing LLC',
    contact: 'Dana Whitfield',
    scopes: ['framing'],
    insuredFor: 240,
    poLimit: 250_000,
    papers: ['workers_comp'],
  },
  { name: 'Hill Country Framers', contact: 'Ray Sandoval', scopes: ['framing'], insuredFor: 21 },
  { name: 'Pecan Street Carpentry', contact: 'Joss Adeyemi', scopes: ['framing'], insuredFor: 130 },
  { name: 'Brightwater Plumbing', contact: 'Tomás Reyes', scopes: ['plumbing'], insuredFor: 300, papers: ['license'] },
  { name: 'Onion Creek Plumbing', contact: 'Gail Brandt', scopes: ['plumbing'], insuredFor: 95 },
  {
    name: 'Summit Electric Co.',
    contact: 'June Park',
    scopes: ['electrical'],
    insuredFor: 180,
    papers: ['license', 'workers_comp'],
  },
  { name: 'Barton Electric', contact: 'Leo Castellano', scopes: ['electrical'], insuredFor: 12 },
  {
    name: 'Violet Crown Electric',
    contact: 'Nadia Khoury',
    scopes: ['electrical'],
    insuredFor: null,
    status: 'prospective',
    papers: ['unread'],
  },
  { name: 'Cardinal Roofing', contact: 'Wes Okafor', scopes: ['roofing'], insuredFor: -4, status: 'on_hold' },
  { name: 'Blue Norther Roofing', contact: 'Sam Hidalgo', scopes: ['roofing'], insuredFor: 210 },
  { name: 'Travis Roof & Gutter', contact: 'Bea Lindqvist', scopes: ['roofing'], insuredFor: 75 },
  { name: 'Redrock Concrete & Foundations', contact: 'Ike Morales', scopes: ['foundation'], insuredFor: 160 },
  { name: 'Balcones Concrete', contact: 'Hannah Voss', scopes: ['foundation'], insuredFor: 260 },
  { name: 'Llano Slab Works', contact: 'Omar Haddad', scopes: ['foundation'], insuredFor: -30 },
  { name: 'Clearview Windows', contact: 'Priscilla Dunn', scopes: ['windows'], insuredFor: 140 },
  { name: 'Sash & Sill', contact: 'Theo Grant', scopes: ['windows'], insuredFor: 190 },
  { name: 'Pedernales Air', contact: 'Colette Burns', scopes: ['hvac'], insuredFor: 110 },
  { name: 'Cool Springs HVAC', contact: 'Arturo Vela', scopes: ['hvac'], insuredFor: 220 },
  { name: 'Mopac Mechanical', contact: 'Denise Kwan', scopes: ['hvac', 'plumbing'], insuredFor: 65 },
  { name: 'Smoothwall Drywall', contact: 'Petra Novak', scopes: ['drywall'], insuredFor: 150 },
  { name: 'Level Five Drywall', contact: 'Ty Robinson', scopes: ['drywall', 'painting'], insuredFor: 28 },
  { name: 'Bluebonnet Painting', contact: 'Inez Fuentes', scopes: ['painting'], insuredFor: 270 },
  { name: 'Second Coat', contact: 'Alan Whitaker', scopes: ['painting'], insuredFor: 85 },
  { name: 'Greenbelt Landscaping', contact: 'Rosa Delgado', scopes: ['landscaping'], insuredFor: 120 },
  { name: 'Live Oak Grounds', contact: 'Cal Henderson', scopes: ['landscaping'], insuredFor: 200, community: 'JR' },
  {
    name: 'Hollow Stone Works',
    contact: 'Mina Farrow',
    scopes: ['landscaping', 'foundation'],
    insuredFor: null,
    papers: ['refused'],
  },
  { name: 'South Lamar Interiors', contact: 'Gus Petrakis', scopes: ['drywall', 'painting'], insuredFor: 45 },
  { name: 'Colorado River Builders Supply', contact: 'Joan Abbott', scopes: ['framing', 'windows'], insuredFor: 330 },
  { name: 'Twin Oaks Electric', contact: 'Rob Nakamura', scopes: ['electrical'], insuredFor: 170, status: 'inactive' },
  {
    name: 'Enchanted Rock Roofing',
    contact: 'Lucille Marsh',
    scopes: ['roofing'],
    insuredFor: null,
    papers: ['waived'],
  },
]

/** Returns the vendors of the other trades, who were added earlier. */
export function listInitialVendors(): DemoVendor[] {
  return readRows('vendors').map((row) => ({
    name: row.companyName,
    contact: row.contactName,
    scopes: splitList(row.scopes),
    insuredFor: Number(row.insuredForDays),
  }))
}

export interface DemoRequest {
  title: string
  scope: ScopeName
  homes: readonly string[]
  /** The community, for a request without homes whose prices become a contract. */
  community?: string
  vendors: readonly string[]
  sentDaysAgo: number
  /** The number of days from sending the request to its deadline. */
  deadlineInDays: number
  message: string
  blind?: boolean
  lines?: readonly { lineId: string; description: string; quantity: number; unit: string; part?: string }[]
  /** The bids by vendor, as a share of the budget. If there are lines, each bid has a price for each line instead. */
  bids: readonly {
    vendor: string
    share?: number
    unitPrices?: readonly number[]
    daysLater: number
    source: 'phone' | 'email' | 'portal'
  }[]
  /** A vendor that declines in its portal. */
  declined?: { vendor: string; daysLater: number; reason: string }
  /** The number of days until the vendors that have not bid get a reminder. */
  remindedLater?: number
  end: 'draft' | 'sent' | 'closed' | 'awarded' | 'cancelled'
  /** The vendor that wins. Only for an awarded request. */
  winner?: string
}

export const REQUESTS: readonly DemoRequest[] = [
  {
    title: 'Framing, Lot 14',
    scope: 'framing',
    homes: ['JR 14'],
    vendors: ['Lone Star Framing LLC', 'Hill Country Framers', 'Pecan Street Carpentry'],
    sentDaysAgo: 58,
    deadlineInDays: 10,
    message: 'Framing for Lot 14, slab is scheduled. Please price labor and material.',
    bids: [
      { vendor: 'Lone Star Framing LLC', share: 0.97, daysLater: 4, source: 'phone' },
      { vendor: 'Hill Country Framers', share: 1.01, daysLater: 6, source: 'email' },
      { vendor: 'Pecan Street Carpentry', share: 1.06, daysLater: 8, source: 'portal' },
    ],
    end: 'awarded',
    winner: 'Lone Star Framing LLC',
  },
  {
    title: 'Solar arrays, Juniper Ridge',
    scope: 'electrical',
    homes: [],
    community: 'JR',
    vendors: ['Summit Electric Co.', 'Barton Electric'],
    sentDaysAgo: 44,
    deadlineInDays: 10,
    message: 'Six kilowatts per home, for buyers who choose solar. Please price one kilowatt, mounted and connected.',
    lines: [{ lineId: 'array', description: 'Solar array', quantity: 72, unit: 'KW', part: 'ELE-PV' }],
    bids: [
      { vendor: 'Summit Electric Co.', unitPrices: [2680], daysLater: 5, source: 'portal' },
      { vendor: 'Barton Electric', unitPrices: [2795], daysLater: 8, source: 'email' },
    ],
    end: 'awarded',
    winner: 'Summit Electric Co.',
  },
  {
    title: 'Roofing, Lots 14 and 16',
    scope: 'roofing',
    homes: ['JR 16'],
    vendors: ['Blue Norther Roofing', 'Travis Roof & Gutter'],
    sentDaysAgo: 40,
    deadlineInDays: 12,
    message: 'Architectural shingles, 30 year. Include underlayment and flashing.',
    bids: [
      { vendor: 'Blue Norther Roofing', share: 1.02, daysLater: 5, source: 'portal' },
      { vendor: 'Travis Roof & Gutter', share: 0.95, daysLater: 9, source: 'email' },
    ],
    end: 'awarded',
    winner: 'Travis Roof & Gutter',
  },
  {
    title: 'Electrical, Lot 16',
    scope: 'electrical',
    homes: ['JR 16'],
    vendors: ['Summit Electric Co.', 'Barton Electric'],
    sentDaysAgo: 24,
    deadlineInDays: 14,
    message: 'Rough-in and trim. Panel is in the garage.',
    blind: true,
    bids: [
      { vendor: 'Summit Electric Co.', share: 0.98, daysLater: 6, source: 'portal' },
      { vendor: 'Barton Electric', share: 1.04, daysLater: 11, source: 'phone' },
    ],
    end: 'closed',
  },
  {
    title: 'Landscaping, Lot 22',
    scope: 'landscaping',
    homes: ['JR 22'],
    vendors: ['Greenbelt Landscaping', 'Live Oak Grounds'],
    sentDaysAgo: 20,
    deadlineInDays: 21,
    message: 'Front yard, native plants, drip irrigation.',
    bids: [],
    end: 'cancelled',
  },
  {
    title: 'Framing, Lot 15',
    scope: 'framing',
    homes: ['JR 15'],
    vendors: ['Lone Star Framing LLC', 'Hill Country Framers', 'Colorado River Builders Supply'],
    sentDaysAgo: 4,
    deadlineInDays: 18,
    message: 'Framing for Lot 15, slab is scheduled. Please price material and labor.',
    lines: [
      { lineId: 'walls', description: 'Wall framing, labor and material', quantity: 2100, unit: 'SF' },
      { lineId: 'trusses', description: 'Roof trusses, delivered and set', quantity: 1, unit: 'LS' },
      { lineId: 'sheathing', description: 'Roof sheathing', quantity: 3700, unit: 'SF' },
    ],
    bids: [
      { vendor: 'Lone Star Framing LLC', unitPrices: [5.9, 8200, 1.05], daysLater: 1, source: 'phone' },
      { vendor: 'Hill Country Framers', unitPrices: [6.4, 7900, 1.15], daysLater: 3, source: 'email' },
    ],
    remindedLater: 4,
    end: 'sent',
  },
  {
    title: 'Plumbing, Lots 15 and 23',
    scope: 'plumbing',
    homes: ['JR 15', 'JR 23'],
    vendors: ['Brightwater Plumbing', 'Onion Creek Plumbing', 'Mopac Mechanical'],
    sentDaysAgo: 2,
    deadlineInDays: 20,
    message: 'Two homes, one price for both.',
    blind: true,
    bids: [{ vendor: 'Onion Creek Plumbing', share: 1.01, daysLater: 1, source: 'portal' }],
    declined: { vendor: 'Mopac Mechanical', daysLater: 1, reason: 'Booked until February.' },
    end: 'sent',
  },
  {
    title: 'Drywall, Barton Bluff Lot 2',
    scope: 'drywall',
    homes: ['BB 2'],
    vendors: ['Smoothwall Drywall', 'Level Five Drywall', 'South Lamar Interiors'],
    sentDaysAgo: 1,
    deadlineInDays: 30,
    message: 'Level 5 in the living room and the hall, level 4 elsewhere.',
    bids: [],
    end: 'draft',
  },
]

/** The notices of upcoming work, in chronological order. */
export const NOTICES = [
  {
    vendor: 'Cool Springs HVAC',
    home: 'JR 14',
    kind: 'advance',
    daysAgo: 8,
    inDays: 14,
    message: 'Duct work of Lot 14 can start once the roof is dry.',
  },
  {
    vendor: 'Smoothwall Drywall',
    home: 'JR 14',
    kind: 'advance',
    daysAgo: 2,
    inDays: 30,
    message: 'Drywall of Lot 14 follows the insulation.',
  },
  {
    vendor: 'Cool Springs HVAC',
    home: 'JR 14',
    kind: 'reminder',
    daysAgo: 1,
    inDays: 7,
    message: 'See you at Lot 14 in a week; please confirm your crew.',
  },
] as const

/**
 * The vendors that were asked to confirm a date, and their responses. A vendor has not responded or has done so a day
 * later.
 */
export const CONFIRMATIONS: readonly {
  home: string
  task: string
  daysAgo: number
  answer?: object
  daysLater?: number
}[] = [
  { home: 'JR 14', task: 'Shingles laid', daysAgo: 4, answer: { answer: 'confirmed' } },
  { home: 'JR 14', task: 'HVAC rough-in', daysAgo: 3 },
  {
    ...{ home: 'JR 14', task: 'Cornice and siding', daysAgo: 3 },
    answer: { answer: 'declined', note: 'Our crew is booked for the whole month.' },
  },
  { home: 'JR 16', task: 'Windows and exterior doors delivered', daysAgo: 2 },
  {
    ...{ home: 'BB 2', task: 'Shingles laid', daysAgo: 3 },
    answer: { answer: 'reschedule_requested', note: 'The crew is on another roof until then.' },
    daysLater: 5,
  },
]
