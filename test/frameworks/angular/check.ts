import { buildsWithoutVariables, listsInChromium, refusesStrangers, saysWhatIsMissing } from '../site.ts'

buildsWithoutVariables()
listsInChromium() // three campaigns, two to a page
refusesStrangers()
saysWhatIsMissing()
