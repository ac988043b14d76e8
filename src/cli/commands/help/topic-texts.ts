/** Text of every topic in 80 columns, the section of a guide that it is from, and the sections that are no topics. */
export {
  default as topicTexts,
  guides as topicGuides,
  sections as guideSections,
} from './topics?texts'
