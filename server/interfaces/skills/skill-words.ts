/**
 * The words of a request or a description in the form that the search compares: without endings, with one word for each
 * concept, and without words and names that are irrelevant to the task.
 */
export interface SearchTerms {
  /** The words in the order of the text, without duplicates. */
  readonly words: readonly string[]
  /** Pairs of adjacent words, such as `critical path`, which mean more together than separately. */
  readonly pairs: readonly string[]
}

export function extractTerms(text: string): SearchTerms {
  const words = splitWords(removeRecordNames(replaceIdioms(text))).flatMap((word) => toTerm(word) ?? [])
  const pairs = words.slice(1).map((word, i) => `${words[i]} ${word}`)
  return { words: [...new Set(words)], pairs: [...new Set(pairs)] }
}

/** Expressions of several words that have a single meaning, in the order in which they are replaced. */
const IDIOMS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:purchase|work) orders?\b/gi, 'po'],
  [/\bchange orders?\b/gi, 'changeorder'],
  [/\breleases?\b(?= (?:from|signed|yet|we|for the payment))/gi, 'waiver'],
  [/\blien releases?\b|\breleases? of lien\b/gi, 'waiver'],
  [/\bbid (?:package|request)s?\b/gi, 'rfq'],
  [/\brequests? for (?:quote|proposal|pricing|bid)s?\b/gi, 'rfq'],
  [/\btime ?(?:card|sheet)s?\b/gi, 'timesheet'],
  [/\bwalk(?:ed)?[ -]in(?:to)?\b/gi, 'walkin'],
  [/\bsign(?:ed|s)? off\b/gi, 'approve'],
  [/\b(?:held|hold|holding) back\b/gi, 'retainage'],
  [/\b(?:back(?:ed|ing)?|dropped) out\b|\bfell through\b/gi, 'cancel'],
  [/\bearnest money\b/gi, 'deposit'],
  [/\b(?:run|runs|running) out\b/gi, 'expire'],
  [/\b(?:gives?|gave|gets?|got|award(?:ed|s)?)(?: \w+)? the job\b/gi, 'award'],
  [/\bfor sale\b/gi, 'forsale'],
  [/\blumber yards?\b/gi, 'lumberyard'],
  [/\bstuck\b/gi, 'blocked'],
  [/\bworkers comp\b/gi, 'insurance'],
  [/\bw-?9s?\b/gi, 'taxcertificate'],
  [/(?<!\d)1099s?(?!\d)/gi, 'taxform'],
  [/\b\w+ (?:guy|guys|people|crew|company)\b/gi, 'vendor'],
  [/\bon hold\b/gi, 'onhold'],
  [/\brunner[- ]up\b|\bsecond best\b|\b(?:came|come) in second\b/gi, 'runnerup'],
  [/\$\s?[\d,.]+k?|\b\d{1,3},\d{3}\b|\b\d+ grand\b/gi, 'amount'],
  [/\b(?:punch|clock)(?:ed)? (in|out)\b/gi, 'clock$1'],
  [/\bgot going\b|\bunder way\b/gi, 'started'],
]

function replaceIdioms(text: string): string {
  return IDIOMS.reduce((replaced, [idiom, word]) => replaced.replace(idiom, word), text.replace(/['’]/g, ''))
}

/** Removes the names and numbers of lots and orders, which are irrelevant to the task. */
function removeRecordNames(text: string): string {
  return text.replace(/\blots?(?: (?:\d+|and|to)\b,?)+/gi, '').replace(/(?<!\S)\S*\d\S*/g, '')
}

/** Splits a text into words. A hyphenated word results in the combined word and its parts. */
function splitWords(text: string): string[] {
  const words = text.split(/[^\p{L}\p{N}]+/u).flatMap((word) => word.split(/(?<=[a-z])(?=[A-Z])/))
  return [...words, ...[...text.matchAll(/\p{L}+(?:-\p{L}+)+/gu)].map(([word]) => word.replaceAll('-', ''))]
}

/** Words that occur in many sentences and do not distinguish skills. */
const STOP_WORDS = new Set(
  (
    'a an and any are as at be been but by can could d did do does for from give had has have he her here his how i if im in into is it ' +
    'its ll m me my no not of on or our out please re s she so some t than that the their them then there these they this those to up us ' +
    've want was we were what when where which who whom why will with would you your'
  ).split(' '),
)

/**
 * Construction terms, grouped by concept. The search treats the words of a group as the same word. For example, the
 * task is the same whether a plumber or a roofer is late.
 */
const SAME_IDEA: Readonly<Record<string, string>> = {
  vendor:
    'vendors sub subs subcontractor subcontractors contractor contractors supplier suppliers framer framers plumber plumbers ' +
    'roofer roofers electrician electricians painter painters mason masons crew crews installer installers tradesman carpenter ' +
    'carpenters lumberyard bidder bidders',
  trade:
    'trades scope scopes discipline disciplines framing plumbing roofing electrical electric hvac drywall sheetrock painting concrete ' +
    'foundation foundations masonry brick stone landscaping landscape tile flooring carpet insulation cabinet cabinets siding ' +
    'gutter gutters grading excavation stucco fencing trim millwork solar',
  material: 'materials lumber studs osb trusses windows doors shingles rebar sheets',
  home: 'homes house houses lot lots job jobs',
  community: 'communities subdivision subdivisions neighborhood neighborhoods development developments',
  buyer: 'buyers customer customers homeowner homeowners couple purchaser purchasers client clients',
  lead: 'leads prospect prospects shopper shoppers visitor visitors walkin inquiry inquiries',
  date:
    'monday tuesday wednesday thursday friday saturday sunday tomorrow january february march april may june july august ' +
    'september october november december',
  bid: 'bids quote quotes proposal proposals',
  rfq: 'rfqs rfp rfps',
  po: 'pos order orders',
  invoice: 'invoices bill bills',
  payment: 'payments payable check checks ach',
  insurance: 'coi cois certificate certificates policy policies coverage liability comp',
  expire: 'expires expired expiring expiration lapse lapses lapsed renewal',
  remind: 'reminder reminders nudge chase bug poke ping bump',
  waiver: 'waivers',
  retainage: 'retention holdback',
  cancel: 'canceled cancelled scrap terminate rescind walked',
  delete: 'remove erase drop',
  option: 'options upgrade upgrades extra extras',
  selection: 'selections choice choices pick picks picked choose chosen decided',
  late: 'overdue behind slipping slip slips slipped',
  send: 'email mail text',
  user: 'users employee employees staff colleague superintendent superintendents',
  approve: 'approves approved ok okay signoff greenlight',
  assistant: 'ai bot robot',
  hours: 'hour timesheet timesheets',
  cost: 'costs spend spent spending expense',
  percent: 'percentage',
  done: 'finished finish complete completed wrapped',
  begin: 'start starts started began begun',
}

const IDEA_OF = new Map(
  Object.entries(SAME_IDEA).flatMap(([idea, words]) => words.split(' ').map((word) => [word, idea] as const)),
)

/** Returns the form of a word that the search compares, or null for a word that it ignores. */
function toTerm(word: string): string | null {
  const lower = word.toLowerCase()
  if (lower === '' || STOP_WORDS.has(lower)) return null
  return stemWord(IDEA_OF.get(lower) ?? lower)
}

/** Returns the approximate stem of an English word, so that `bids`, `bidding`, and `bid` match. */
function stemWord(word: string): string {
  const base = word
    .replace(/(?<=[a-z]{3})ies$/, 'y')
    .replace(/(?<=[a-z]{3}(?:s|x|ch|sh))es$/, '')
    .replace(/(?<=[a-z]{2}[^s])s$/, '')
  const root = base.replace(/(?<=[a-z]{3})(?:ing|ed|er|ers)$/, '')
  // Removes a double consonant before an ending, as in bidding, and a silent e at the end, as in schedule.
  return root.replace(/([b-df-hj-np-tv-z])\1$/, '$1').replace(/(?<=[a-z]{3})e$/, '')
}
